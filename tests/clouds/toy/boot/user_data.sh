TOY=${TOY:-http://169.254.9.1}

meta() { curl -fsS -m 5 "$TOY/metadata/$1"; }

who_am_i() {
  { HPC_CONFIG=$(meta label/hpc_config) && HPC_ROLE=$(meta label/hpc_role) && HPC_REGION=$(meta region); } ||
    fail "the toy cloud's metadata: no label hpc_config, label hpc_role or region"
}

get() { # <object> <file>
  curl -fsS -m 60 -o "$2" "$TOY/buckets/$HPC_CONFIG/$1" || fail "$TOY/buckets/$HPC_CONFIG/$1: can't be fetched"
}
