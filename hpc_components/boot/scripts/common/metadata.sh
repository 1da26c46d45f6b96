# Who may ask the metadata service, which hands out the credentials of the node's own identity: with them anybody can
# read the cluster's munge key, and be root on all its nodes. So it is for the system alone, not for people and jobs.
# shellcheck shell=bash

metadata_fence() {
  local unit=/etc/systemd/system/hpc-metadata.service rules=/etc/hpc/metadata.nft users closed
  if [[ $HPC_ROLE == compute && $(queue metadata) == jobs ]]; then # the queue has an identity of its own, for its jobs
    if [[ -e $unit ]]; then # of an image that was made from another queue's node
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

reject_all_but() { # <users>: a rule for each address
  local address addresses ports
  addresses=$(metadata_addresses)
  while read -r address ports; do
    if [[ -n $ports ]]; then ports="tcp dport { $ports } "; fi
    echo "    $([[ $address == *:* ]] && echo ip6 || echo ip) daddr $address ${ports}meta skuid != { $1 } reject"
  done <<<"$addresses"
}

may_ask() { # numbers, with commas between: a name may come only with a later package
  local name users
  users=$(metadata_users)
  if [[ $HPC_ROLE == head ]]; then users+=" slurm"; fi # hpc-elastic
  for name in root $users; do
    id -u "$name" 2>/dev/null || true
  done | paste -sd ,
}
