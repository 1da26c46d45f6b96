# slurmctld, which all others look for at the head node's fixed address.
# shellcheck shell=bash

HAS=$RUN/slurmctld.conf        # the slurm.conf that slurmctld has
CLOSED=/var/lib/hpc/partitions # those that somebody has closed, as long as slurmctld may forget it
TOLD=/var/lib/hpc/told         # checksum of the files that nodes were told of

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

can_be_read() { # by all of Slurm's commands; the controller goes on with what it has
  local said
  said=$(SLURM_CONF=$PWD/common/slurm/slurm.conf scontrol show hostnames a 2>&1) ||
    die "slurm.conf is not applied, Slurm can't read it: $(grep -m 1 -Ei 'error|fatal' <<<"$said" || echo "$said")"
}

controller() {
  local unit=/etc/systemd/system/slurmctld.service.d/hpc.conf
  put "$unit" 644 < <(cat head/units/slurm.conf && printf '\n[Unit]\nAfter=slurmdbd.service\n')
  no_job_is_lost # some may have begun meanwhile
  keep_closed
  # A restart, because 22.05 ends when a reconfiguration changes its nodes; jobs and nodes do not notice it.
  running slurmctld /etc/slurm/{slurm,gres,cgroup,topology}.conf /etc/slurm/job_submit.lua "$unit"
  answers scontrol ping || die "slurmctld: $(why slurmctld)"
  cp /etc/slurm/slurm.conf "$HAS"
  close_again
  tell_nodes
}

nodes_told() { # the last step, which fails until they are: it is then tried again
  tell_nodes
  [[ $(<$TOLD) == "$(checksum)" ]] ||
    die "nodes hear of the changed configuration when no job holds one: slurmd $(release) loses jobs over it"
}

# slurmctld ends the jobs of nodes that have other CPUs or GPUs when it starts again; of a queue that is gone also those
# that wait. Source: Slurm's own source, src/slurmctld/read_config.c, src/common/job_resources.c; run on 22.05 and 24.11
no_job_is_lost() {
  local queue queues jobs what state
  queues=$(changed_queues)
  if [[ -z $queues ]] || ! systemctl is-active -q slurmctld || ! answers scontrol ping; then return; fi
  for queue in $queues; do
    if grep -q "^PartitionName=$queue " common/slurm/slurm.conf; then
      jobs=$(jobs_on_nodes -p "$queue") what="its nodes change" state=DOWN # jobs may be submitted
    else
      jobs=$(squeue -ha -o %A -p "$queue") what="it is removed" state=DRAIN # those that wait may run
    fi
    [[ -z $jobs ]] || die "queue $queue has jobs and $what: set its partition $state" \
      "(scontrol update partition=$queue state=${state,,}) and wait; tried again every minute"
  done
}

changed_queues() { # of whose nodes slurmctld has more, or has them with other CPUs or GPUs
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
  if [[ -e $CLOSED ]]; then return; fi # not closed again yet: what slurmctld says now is not what was
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

tell_nodes() { # they have their configuration from here, and take a new one only when they are told
  local jobs=
  if [[ ! -e $TOLD ]]; then checksum >$TOLD; fi # a new cluster: none has an older one
  if [[ $(<$TOLD) == "$(checksum)" ]]; then return; fi
  # Source: Slurm's NEWS, 23.11.7: jobs of which a node has not begun a step yet failed at a reconfiguration
  if [[ $(release) =~ ^23\.11\.[0-6]$ ]]; then jobs=$(jobs_on_nodes); fi
  if [[ -n $jobs ]]; then
    echo "nodes with jobs keep the configuration that they have"
    return
  fi
  keep_closed
  scontrol reconfigure
  close_again
  checksum >$TOLD
}

checksum() { sha256sum /etc/slurm/{slurm,gres,cgroup,topology}.conf 2>/dev/null | sha256sum || true; }

release() { slurmctld -V | sed 's/^[^ ]* //'; }
