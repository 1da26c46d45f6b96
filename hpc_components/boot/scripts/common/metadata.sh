# Who may ask the instance's metadata service, which hands out the credentials of the node's role: with them anybody can
# read the cluster's munge key, and be root on all its nodes. So it is for the system alone, not for people and jobs.
# shellcheck shell=bash

metadata_fence() {
  local unit=/etc/systemd/system/hpc-metadata.service rules=/etc/hpc/metadata.nft users
  if [[ $HPC_ROLE == compute && $(queue metadata) == jobs ]]; then # the queue has a role of its own, for its jobs
    if [[ -e $unit ]]; then systemctl disable -q --now hpc-metadata; fi
    rm -f "$unit" "$rules"
    return
  fi
  users=$(may_ask)
  put "$rules" 644 <<END
table inet hpc_metadata
delete table inet hpc_metadata
table inet hpc_metadata {
  chain output {
    type filter hook output priority filter
    ip daddr 169.254.169.254 meta skuid != { $users } reject
    ip6 daddr fd00:ec2::254 meta skuid != { $users } reject
  }
}
END
  put "$unit" 644 <common/units/hpc-metadata.service
  running hpc-metadata "$unit" "$rules"
}

may_ask() { # numbers, with commas between: a name may come only with a later package
  local name users=(root ec2-instance-connect) # the latter looks up the keys of who logs in by EC2 Instance Connect
  if [[ $HPC_ROLE == head ]]; then users+=(slurm); fi # hpc-elastic
  for name in "${users[@]}"; do
    id -u "$name" 2>/dev/null || true
  done | paste -sd ,
}
