# The roles by which people and jobs use the cluster's buckets, and those of their organization. The node takes them
# and lends them (common/data.py); its own role, with which anybody would be root, is never given away.
# shellcheck shell=bash

LENT=http://127.0.0.1:170/credentials

lend() {
  local role config='' unit=/etc/systemd/system/hpc-data.service settings=/etc/hpc/data.env
  role=$(tag hpc:data-role)
  if [[ -e common/organizations.json && $HPC_ROLE =~ ^(compute|$HPC_USERS_ON)$ ]]; then config=$'\n'"HPC_CONFIG=$HPC_CONFIG"; fi
  if [[ -z $role$config ]]; then
    gone "$unit"
    rm -f "$settings"
    environment AWS_CONTAINER_CREDENTIALS_FULL_URI
    environment AWS_REGION
    environment AWS_DEFAULT_REGION
    return
  fi
  put /opt/hpc/bin/hpc-data 755 <common/data.py
  put "$settings" 644 <<<"HPC_DATA_ROLE=$role"$'\n'"HPC_REGION=$HPC_REGION$config"
  put "$unit" 644 <common/units/hpc-data.service
  running hpc-data "$unit" "$settings" /opt/hpc/bin/hpc-data
  lent ${role:+--fail-with-body}
  environment AWS_CONTAINER_CREDENTIALS_FULL_URI "$LENT"
  environment AWS_REGION "$HPC_REGION"
  environment AWS_DEFAULT_REGION "$HPC_REGION" # what boto3 reads
}

lent() { # [<option>]: credentials are there; a role that was made just now is known everywhere after a while
  local try said
  for ((try = -10; try < 60; try++)); do
    if said=$(curl -sS -m 5 "$@" "$LENT" 2>/dev/null); then return; fi
    sleep $((try < 0 ? 0 : 2)).2 # it is there soon after its service has started, or late
  done
  said=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["Message"])' <<<"$said" 2>/dev/null) ||
    said="hpc-data: $(why hpc-data)"
  die "no credentials for the buckets: $said"
}
