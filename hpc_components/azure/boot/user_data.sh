IMDS=${IMDS:-http://169.254.169.254}

meta() { curl -fsS -m 5 --noproxy '*' -H Metadata:true "$IMDS/metadata/$1"; }

FACTS='
import json, sys
here = json.load(sys.stdin)
tags = {each["name"]: each["value"] for each in here["tagsList"]}
storage = {"AzureUSGovernmentCloud": "core.usgovcloudapi.net", "AzureChinaCloud": "core.chinacloudapi.cn"}
print(*(tags.get("hpc:" + name, "") for name in ("role", "config", "identity")), sep="\n")
print(here["location"], storage.get(here["azEnvironment"], "core.windows.net"))'

who_am_i() {
  local facts identity token="identity/oauth2/token?api-version=2018-02-01&resource=https://storage.azure.com/"
  facts=$(meta "instance/compute?api-version=2021-02-01" | python3 -c "$FACTS") || fail "no instance metadata" || return 1
  { read -r HPC_ROLE; read -r HPC_CONFIG; read -r identity; read -r HPC_REGION DOMAIN; } <<<"$facts"
  [[ $HPC_ROLE && $HPC_CONFIG && $identity ]] || fail "no tag hpc:role, hpc:config or hpc:identity" || return 1
  TOKEN=$(meta "$token&client_id=$identity" | python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])') ||
    fail "no token for the identity $identity (tag hpc:identity)"
}

# A token goes through a pipe: users see arguments.
get() { # <object>...
  local url=${BLOB:-https://${HPC_CONFIG%%/*}.blob.$DOMAIN}/${HPC_CONFIG#*/} which from=()
  for which; do from+=(-o "new/$which" "$url/$which"); done
  which=$(curl -fsSm60 --fail-early --create-dirs -w '%{onerror}%{url_effective}' -H x-ms-version:2021-08-06 -H @- \
    "${from[@]}" <<<"Authorization: Bearer $TOKEN") || fail "$which: can't be fetched"
}
