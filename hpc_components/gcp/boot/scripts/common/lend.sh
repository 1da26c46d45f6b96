# The service account by which people and jobs use the cluster's buckets. The node may make tokens of it, and lends them
# (common/data.py); those of its own account, with which anybody would be root, are never given away.
# shellcheck shell=bash

LENT=127.0.0.1:170
# Google's libraries find it by the first, and look at the second whether they are on Google Cloud; gcloud has the third
LENT_NAMES="GCE_METADATA_HOST GCE_METADATA_IP GCE_METADATA_ROOT"

lend() {
  local account project name unit=/etc/systemd/system/hpc-data.service settings=/etc/hpc/data.env
  account=$(attribute hpc-data-account)
  if [[ -z $account ]]; then
    gone "$unit"
    rm -f "$settings"
    for name in $LENT_NAMES; do environment "$name"; done
    return
  fi
  project=$(google project)
  put /opt/hpc/bin/hpc-data 755 <common/data.py
  put "$settings" 644 <<<"HPC_DATA_ACCOUNT=$account"$'\n'"HPC_PROJECT=$project"
  put "$unit" 644 <common/units/hpc-data.service
  running hpc-data "$unit" "$settings" /opt/hpc/bin/hpc-data
  lent
  for name in $LENT_NAMES; do environment "$name" "$LENT"; done
}

lent() { # tokens are there; a permission that was given just now is known after minutes
  local try said
  for ((try = -10; try < 210; try++)); do
    if said=$(curl -sS -m 30 --fail-with-body -H Metadata-Flavor:Google \
      "http://$LENT/computeMetadata/v1/instance/service-accounts/default/token" 2>/dev/null); then return; fi
    sleep $((try < 0 ? 0 : 2)).2 # it is there soon after its service has started, or late
  done
  die "no token for the buckets: ${said:-hpc-data: $(why hpc-data)}"
}
