IMDS=${IMDS:-http://169.254.169.254}

meta() { curl -fsS -m 5 --noproxy '*' -H Metadata-Flavor:Google "$IMDS/computeMetadata/v1/instance/$1"; }

FACTS='
import json, sys
here = json.load(sys.stdin)
region = here["zone"].rpartition("/")[2].rpartition("-")[0]
print(here["attributes"].get("hpc-role", ""), here["attributes"].get("hpc-config", ""), region, sep="\n")'

who_am_i() {
  local facts
  facts=$(meta "?recursive=true" | python3 -c "$FACTS") || fail "no instance metadata" || return 1
  { read -r HPC_ROLE; read -r HPC_CONFIG; read -r HPC_REGION; } <<<"$facts"
  [[ $HPC_ROLE && $HPC_CONFIG ]] || fail "no metadata hpc-role or hpc-config" || return 1
  TOKEN=$(meta service-accounts/default/token |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])') || fail "no token of the service account"
}

# A token goes through a pipe: users see arguments.
get() { # <object>...
  local url=${GOOGLEAPIS:-https://storage.googleapis.com}/storage/v1/b/$HPC_CONFIG/o which from=()
  for which; do from+=(-o "new/$which" "$url/${which//\//%2F}?alt=media"); done
  which=$(curl -fsSm60 --fail-early --create-dirs -w '%{onerror}%{url_effective}' -H @- "${from[@]}" \
    <<<"Authorization: Bearer $TOKEN") || fail "${which%\?*}: can't be fetched"
}
