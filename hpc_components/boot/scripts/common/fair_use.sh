# A share of the node for each user, where users log in, so that none can take the node from the others.
# shellcheck shell=bash

SHARES=/etc/systemd/system/user-.slice.d/50-hpc.conf # of each user
TOGETHER=/etc/systemd/system/user.slice.d/50-hpc.conf # of all users
OF_ROOT=/etc/systemd/system/user-0.slice.d/50-hpc.conf
WELCOME=/etc/profile.d/hpc-fair-use.sh
PROGRAM=/opt/hpc/bin/hpc-fair-use
UNIT=/etc/systemd/system/hpc-fair-use.service

fair_use() {
  local file cpus memory total
  if [[ $HPC_ROLE != "$HPC_USERS_ON" ]]; then
    nobody_logs_in
    return
  fi
  for file in common/fair_use/*.py; do put "/opt/hpc/fair_use/${file##*/}" 644 <"$file"; done
  put $PROGRAM 755 <<<$'#!/bin/sh\nexec /usr/bin/python3 -I /opt/hpc/fair_use "$@"'
  cpus=$(getconf _NPROCESSORS_ONLN) total=$(awk '/^MemTotal/ { print $2 * 1024 }' /proc/meminfo)
  cpus=${HPC_CPUS_PER_USER:-$((cpus < 4 ? 2 : cpus / 2))} memory=${HPC_MEMORY_PER_USER:-$((total / 2))}
  limits "$cpus" "$memory" "$((total * 9 / 10))"
  welcome "$cpus" "$memory"
  put $UNIT 644 <common/units/hpc-fair-use.service
  running hpc-fair-use $UNIT $PROGRAM /opt/hpc/fair_use/*.py /etc/hpc/sessions.json
}

# MemoryHigh is left out: without swap a program above it is not ended, but stands still for hours.
# Source: kernel documentation, cgroup-v2.rst, "memory.high"
limits() { # <CPUs> <memory of each user> <memory of all users>
  put $SHARES 644 <<END
[Slice]
CPUQuota=$(($1 * 100))%
MemoryMax=$2
MemorySwapMax=0
TasksMax=$HPC_PROCESSES_PER_USER
END
  # the rest is for the system, root's services and Slurm. Source: HPC SysPros Basics, "cgroups"
  put $TOGETHER 644 <<END
[Slice]
CPUWeight=50
MemoryMax=$3
TasksMax=80%
END
  put $OF_ROOT 644 <<<$'[Slice]\nTasksMax=infinity' # replaces the file of the same name of each user
  if [[ -e $RUN/reload ]]; then
    $PROGRAM spare "$3" "$2"
    rm "$RUN/reload"
    $PROGRAM apply
  fi
}

welcome() { # <CPUs> <memory>
  local gib sessions=
  gib=$(awk "BEGIN { printf \"%.3g\", $2 / 2 ^ 30 }")
  if [[ -n $HPC_MAX_SESSIONS ]]; then sessions=", and $HPC_MAX_SESSIONS sessions on all login nodes"; fi
  put $WELCOME 644 <<END
case \$- in *i*)
  echo 'You can use $1 CPUs, $gib GiB of memory and $HPC_PROCESSES_PER_USER processes on this node$sessions.'
  echo 'Longer or larger work belongs in a job: sbatch SCRIPT, or salloc for an interactive one.'
esac
END
}

nobody_logs_in() { # any more
  local file
  gone $UNIT
  for file in $SHARES $TOGETHER $OF_ROOT; do
    if [[ -e $file ]]; then
      rm "$file"
      touch "$RUN/reload"
    fi
  done
  rm -f $WELCOME
  if [[ -e $RUN/reload && -e $PROGRAM ]]; then
    rm "$RUN/reload"
    $PROGRAM apply
  fi
}
