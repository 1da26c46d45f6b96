# The cluster's keys. They are made once, here, and live on the state volume; the secrets have copies for the others,
# and for a head node whose state volume is a new one.
# shellcheck shell=bash

KEYS=/var/lib/hpc/keys

munge_key() {
  made munge 1024
  put /etc/munge/munge.key 400 munge:munge <$KEYS/munge
  running munge /etc/munge/munge.key
}

token_key() { # signs Slurm's JSON web tokens
  made jwt 32
  put /etc/slurm/jwt_hs256.key 600 slurm:slurm <$KEYS/jwt
}

made() { # <name> <bytes>: the key is on the state volume, and in its secret
  local file=$KEYS/$1 secret=hpc/$HPC_CLUSTER/$1-$HPC_CONFIG
  if [[ ! -s $file ]]; then
    (umask 077 && mkdir -p $KEYS && python3 common/aws.py secret "$secret" >"$file.new") 2>"$RUN/secret.why" ||
      grep -q 'has no value' "$RUN/secret.why" || die "$(cat "$RUN/secret.why")"
    [[ -s $file.new ]] || head -c "$2" /dev/urandom >"$file.new"
    sync "$file.new"
    mv "$file.new" "$file"
    echo "key $1 is new on the state volume"
  fi
  python3 common/aws.py keep "$secret" "$file"
}

host_keys() { # users who log in here see one host, whichever machine it is
  local file changed=no
  if ! compgen -G "$KEYS/ssh_host_*_key" >/dev/null; then
    cp -p /etc/ssh/ssh_host_*_key /etc/ssh/ssh_host_*_key.pub $KEYS/
  fi
  for file in "$KEYS"/ssh_host_*; do
    if ! cmp -s "$file" "/etc/ssh/${file##*/}"; then
      put "/etc/ssh/${file##*/}" "$([[ $file == *.pub ]] && echo 644 || echo 600)" <"$file"
      changed=yes
    fi
  done
  if [[ $changed == yes ]]; then systemctl try-restart ssh; fi
}
