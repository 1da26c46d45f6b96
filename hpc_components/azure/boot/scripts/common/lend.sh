# The identity by which people and jobs use the cluster's buckets. The node has it beside its own and lends its tokens
# (common/data.py); those of its own identity, with which anybody would be root, are never given away.
# shellcheck shell=bash

LENT=http://127.0.0.1:170/token
HEADER=hpc # no secret: it keeps browsers and proxies from asking by accident

lend() {
  local identity unit=/etc/systemd/system/hpc-data.service settings=/etc/hpc/data.env
  identity=$(tag hpc:data-identity)
  if [[ -z $identity ]]; then
    gone "$unit"
    rm -f "$settings"
    environment IDENTITY_ENDPOINT
    environment IDENTITY_HEADER
    environment AZCOPY_AUTO_LOGIN_TYPE
    return
  fi
  put /opt/hpc/bin/hpc-data 755 <common/data.py
  put "$settings" 644 <<<"HPC_DATA_IDENTITY=$identity"
  put "$unit" 644 <common/units/hpc-data.service
  running hpc-data "$unit" "$settings" /opt/hpc/bin/hpc-data
  lent
  environment IDENTITY_ENDPOINT "$LENT"
  environment IDENTITY_HEADER "$HEADER"
  environment AZCOPY_AUTO_LOGIN_TYPE MSI
}

lent() { # tokens are there; an identity that was given to the machine just now is known after a while
  local try said
  for ((try = -10; try < 60; try++)); do
    if said=$(curl -sS -m 30 --fail-with-body -H "X-IDENTITY-HEADER: $HEADER" \
      "$LENT?api-version=2019-08-01&resource=https://storage.azure.com/" 2>/dev/null); then return; fi
    sleep $((try < 0 ? 0 : 2)).2 # it is there soon after its service has started, or late
  done
  said=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["message"])' <<<"$said" 2>/dev/null) ||
    said="hpc-data: $(why hpc-data)"
  die "no token for the buckets: $said"
}
