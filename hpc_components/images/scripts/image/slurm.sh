# Slurm and munge of the image, in a cluster of this machine alone that leaves nothing behind.
# shellcheck shell=bash
source common/packages.sh

slurm() {
  at=$(mktemp -d /var/tmp/hpc-slurm.XXXXXX)
  trap 'end' EXIT
  (umask 077 && head -c 1024 /dev/urandom >"$at/munge.key")
  started munged --force --foreground --key-file="$at/munge.key" --socket="$at/munge" --pid-file="$at/munged.pid" \
    --log-file="$at/munged.log" --seed-file="$at/munge.seed"
  answers authenticates || die "munged: $(said munged)"
  configuration
  export SLURM_CONF=$at/slurm.conf
  srun --version
  if serves compute; then slurmd -C; fi
  if ! serves head; then return; fi
  started slurmctld -D
  answers scontrol show partition || die "slurmctld: $(said slurmctld)"
  if serves compute; then
    started slurmd -D -N "$(hostname -s)"
    answers idle || die "slurmd: $(said slurmd)"
    timeout 120 sbatch --wait -o "$at/job" --wrap 'srun hostname -s' || die "a job fails: $(tail -n 1 "$at/job" "$at/slurmd.log")"
    [[ $(<"$at/job") == "$(hostname -s)" ]] || die "a job wrote: $(<"$at/job")"
  fi
}

started() { # <daemon> <option>...
  "$@" >"$at/$1.said" 2>&1 &
  PIDS+=($!)
}
PIDS=()

end() {
  kill "${PIDS[@]}" 2>/dev/null || true
  wait
  rm -rf "$at"
}

said() { cat "$at/$1.said" "$at/$1.log" 2>/dev/null | sed '/^[[:space:]]*$/d' | tail -n 1; } # <daemon>: the last line

authenticates() { munge -n -S "$at/munge" | unmunge -S "$at/munge"; }

idle() { [[ $(sinfo -h -o %t) == idle ]]; }

configuration() {
  local name release=24.05
  name=$(hostname -s)
  cat >"$at/slurm.conf" <<END
ClusterName=image
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthInfo=socket=$at/munge
SlurmUser=root
StateSaveLocation=$at/state
SlurmdSpoolDir=$at/spool
SlurmctldPidFile=$at/slurmctld.pid
SlurmdPidFile=$at/slurmd.pid
SlurmctldLogFile=$at/slurmctld.log
SlurmdLogFile=$at/slurmd.log
MpiDefault=pmix
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
NodeName=$name NodeAddr=127.0.0.1
PartitionName=image Nodes=$name Default=YES
END
  mkdir "$at/state" "$at/spool"
  # earlier releases have no such setting, and need control groups as systemd makes them
  if sort -VC <<<"$release"$'\n'"$HPC_SLURM"; then echo CgroupPlugin=disabled >"$at/cgroup.conf"; fi
}
