# Access to the metadata service, which returns credentials of the node's own identity: with them a user could read
# the cluster's munge key, and become root on all its nodes. It is therefore reserved for the system.
# shellcheck shell=bash

metadata_fence() {
  local unit=/etc/systemd/system/hpc-metadata.service rules=/etc/hpc/metadata.nft users closed
  if [[ $HPC_ROLE == compute && $(queue metadata) == jobs ]]; then # the queue has its own identity, for its jobs
    if [[ -e $unit ]]; then # left over in an image made from another queue's node
      gone "$unit"
      nft delete table inet hpc_metadata || true
    fi
    rm -f "$rules"
    return
  fi
  users=$(may_ask)
  closed=$(reject_all_but "$users")
  put "$rules" 644 <<END
table inet hpc_metadata
delete table inet hpc_metadata
table inet hpc_metadata {
  chain output {
    type filter hook output priority filter
$closed
  }
}
END
  put "$unit" 644 <common/units/hpc-metadata.service
  running hpc-metadata "$unit" "$rules"
}

reject_all_but() { # <users>: a rule per address
  local address addresses ports
  addresses=$(metadata_addresses)
  while read -r address ports; do
    if [[ -n $ports ]]; then ports="tcp dport { $ports } "; fi
    echo "    $([[ $address == *:* ]] && echo ip6 || echo ip) daddr $address ${ports}meta skuid != { $1 } reject"
  done <<<"$addresses"
}

may_ask() { # numeric, separated by commas: a name may exist only after a later package is installed
  local name users
  users=$(metadata_users)
  if [[ $HPC_ROLE == head ]]; then users+=" slurm"; fi # hpc-elastic
  for name in root $users; do
    id -u "$name" 2>/dev/null || true
  done | paste -sd ,
}
