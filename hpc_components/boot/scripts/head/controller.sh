# slurmctld, which all other nodes reach at the head node's fixed address.
# shellcheck shell=bash

HAS=$RUN/slurmctld.conf        # the slurm.conf in use by slurmctld
CLOSED=/var/lib/hpc/partitions # partitions closed by an administrator, saved while slurmctld may forget them
TOLD=/var/lib/hpc/told         # checksum of the files that nodes last reloaded

configuration() {
  if [[ ! -e $HAS && -e /etc/slurm/slurm.conf ]]; then cp /etc/slurm/slurm.conf "$HAS"; fi
  can_be_read
  no_job_is_lost
  source common/slurm.sh
  slurm_files
  if [[ -e head/slurm/job_submit.lua ]]; then
    put /etc/slurm/job_submit.lua 644 <head/slurm/job_submit.lua
  else
    rm -f /etc/slurm/job_submit.lua
  fi
  install -d -o slurm -g slurm -m 755 /var/log/slurm
  rotated slurmctld
  install -d -o slurm -g slurm -m 700 /var/lib/hpc/slurmctld
}

can_be_read() { # by all of Slurm's commands; otherwise the controller continues with its present configuration
  local said
  said=$(SLURM_CONF=$PWD/common/slurm/slurm.conf scontrol show hostnames a 2>&1) ||
    die "slurm.conf is not applied, because Slurm can't read it: $(grep -m 1 -Ei 'error|fatal' <<<"$said" || echo "$said")"
}

controller() {
  local unit=/etc/systemd/system/slurmctld.service.d/hpc.conf
  put "$unit" 644 < <(cat head/units/slurm.conf && printf '\n[Unit]\nAfter=slurmdbd.service\n')
  no_job_is_lost # some may have started meanwhile
  keep_closed
  # A restart, because 22.05 exits when a reconfiguration changes its nodes; jobs and nodes do not notice it.
  running slurmctld /etc/slurm/{slurm,gres,cgroup,topology}.conf /etc/slurm/job_submit.lua "$unit"
  answers scontrol ping || die "slurmctld: $(why slurmctld)"
  cp /etc/slurm/slurm.conf "$HAS"
  close_again
  tell_nodes
}

nodes_told() { # the last step, which fails and is retried until the nodes have the new configuration
  tell_nodes
  [[ $(<$TOLD) == "$(checksum)" ]] ||
    die "nodes get the changed configuration once no job has nodes: reconfiguring slurmd $(release) would lose jobs"
}

# On a restart slurmctld ends the jobs of nodes whose CPUs or GPUs have changed; for a removed queue also the pending
# ones. Source: Slurm's own source, src/slurmctld/read_config.c, src/common/job_resources.c; run on 22.05 and 24.11
no_job_is_lost() {
  local queue queues jobs what state
  queues=$(changed_queues)
  if [[ -z $queues ]] || ! systemctl is-active -q slurmctld || ! answers scontrol ping; then return; fi
  for queue in $queues; do
    if grep -q "^PartitionName=$queue " common/slurm/slurm.conf; then
      jobs=$(jobs_on_nodes -p "$queue") what="its nodes change" state=DOWN # jobs may be submitted
    else
      jobs=$(squeue -ha -o %A -p "$queue") what="it is removed" state=DRAIN # pending jobs may run
    fi
    [[ -z $jobs ]] || die "queue $queue has jobs and $what: set its partition $state" \
      "(scontrol update partition=$queue state=${state,,}) and wait; tried again every minute"
  done
}

changed_queues() { # queues with fewer nodes than slurmctld knows, or with other CPUs or GPUs
  if [[ ! -e $HAS ]]; then return; fi
  awk '
    /^NodeName=/ {
      queue = $1
      sub(/-(\[1-)?[0-9]+\]?$/, "", queue)
      last = $1
      gsub(/^.*-|\]/, "", last)
      shape = ""
      for (i = 2; i <= NF; i++) if ($i ~ /^(CPUs|Sockets|CoresPerSocket|ThreadsPerCore|Gres)=/) shape = shape " " $i
      if (FILENAME == ARGV[1]) { shape_of[queue] = shape; nodes[queue] = last }
      else { new_shape_of[queue] = shape; new_nodes[queue] = last }
    }
    END {
      for (queue in shape_of)
        if (shape_of[queue] != new_shape_of[queue] || new_nodes[queue] + 0 < nodes[queue] + 0)
          print substr(queue, 10)
    }' "$HAS" common/slurm/slurm.conf
}

jobs_on_nodes() { squeue -ha -t R,CF,CG,S,ST -o %A "$@"; }

keep_closed() { # 22.05 and 23.11.4 open all partitions when they start; 23.11.4 also at a reconfiguration
  local partitions
  if [[ -e $CLOSED ]]; then return; fi # not closed again yet: slurmctld's present states are not the original ones
  if systemctl is-active -q slurmctld && partitions=$(timeout 30 scontrol -ao show partition); then
    sed -nE 's/^PartitionName=(\S+) .* State=(DOWN|DRAIN|INACTIVE) .*/\1 \2/p' <<<"$partitions" >$CLOSED
  fi
}

close_again() {
  local name state
  if [[ ! -e $CLOSED ]]; then return; fi
  while read -r name state; do
    if scontrol show partition "$name" >/dev/null 2>&1; then scontrol update partition="$name" state="$state"; fi
  done <$CLOSED
  rm $CLOSED
}

tell_nodes() { # nodes fetch their configuration from here, and fetch a new one only on request
  local jobs=
  if [[ ! -e $TOLD ]]; then checksum >$TOLD; fi # a new cluster: no node has an older one
  if [[ $(<$TOLD) == "$(checksum)" ]]; then return; fi
  # Source: Slurm's NEWS, 23.11.7: jobs failed at a reconfiguration if one of their nodes had not started a step yet
  if [[ $(release) =~ ^23\.11\.[0-6]$ ]]; then jobs=$(jobs_on_nodes); fi
  if [[ -n $jobs ]]; then
    echo "nodes keep their present configuration while jobs run"
    return
  fi
  keep_closed
  scontrol reconfigure
  close_again
  checksum >$TOLD
}

checksum() { sha256sum /etc/slurm/{slurm,gres,cgroup,topology}.conf /etc/slurm/hpc-job-{prolog,epilog} 2>/dev/null | sha256sum || true; }

release() { slurmctld -V | sed 's/^[^ ]* //'; }
