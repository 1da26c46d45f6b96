# The machine of a compute node: its processors, GPUs and local disks.
# shellcheck shell=bash

SWITCHES=/proc/driver/nvidia-nvswitch/devices

processors() { # slurmctld rejects a node with fewer than in slurm.conf, with an obscure reason
  local says here smt
  says=$(queue cpus)
  here=$(nproc --all)
  ((here >= says)) || die "this machine has $here CPUs, but slurm.conf says $says"
  smt=$(cat /sys/devices/system/cpu/smt/active 2>/dev/null || echo 0)
  [[ $(queue smt) == yes || $smt == 0 ]] || die "this machine has two threads per core, but the queue's smt is off"
}

gpus() { # slurmd ends if a device file in gres.conf is missing
  local says here=0 files file
  says=$(queue gpus)
  if ((says == 0)); then return; fi
  if command -v nvidia-smi >/dev/null; then nvidia-smi -L || true; fi # NVIDIA's driver creates its files on the first query
  gpu_switches
  files=$(gpu_files)
  for file in $files; do
    if [[ -e $file ]]; then here=$((here + 1)); fi
  done
  ((here >= says)) || die "this machine shows $here GPUs, but slurm.conf says $says: use an image with their driver"
}

# GPUs that switches join work only once the fabric manager has set these up. Images that have it may start it already.
# Source: NVIDIA gpu-driver-container, which looks for switches in the same way
gpu_switches() {
  local unit=nvidia-fabricmanager
  if compgen -G "$SWITCHES/*" >/dev/null && systemctl cat $unit >/dev/null 2>&1; then
    enabled $unit
    systemctl start $unit || die "$unit: $(why $unit)"
  fi
}

gpu_files() { # device files of the queue in gres.conf: /dev/nvidia[0-7] -> a path each
  local name named before run number
  name=$(node_fact queue)
  named=$(sed -nE "s/^NodeName=$name-(\[1-)?[0-9]+\]? .* File=(\S+).*/\2/p" common/slurm/gres.conf)
  before=${named%%[*}
  if [[ $before == "$named" ]]; then
    tr , '\n' <<<"$named"
    return
  fi
  named=${named#*[}
  for run in ${named//[],]/ }; do # 0-7 or 128,136
    for ((number = ${run%-*}; number <= ${run#*-}; number++)); do echo "$before$number"; done
  done
}

# The machine's local disks as one volume; its data is lost with the node. Network volumes are never used.
# nofail: a machine from an image of this node has other disks, and must boot far enough to format them.
# slurmd requires the mount.
local_scratch() {
  local directory made unit said device uuid disks=()
  directory=$(queue local_scratch)
  if [[ $directory == - ]] || mountpoint -q "$directory"; then return; fi
  source common/mounts.sh
  said=$(image_scratch)
  if [[ -n $said ]]; then
    read -r made unit <<<"$said"
    systemctl start "$unit"
    fstab scratch <<<"$made $directory none bind,nofail,x-systemd.requires=$unit 0 0"
  else
    said=$(own_disks)
    [[ -n $said ]] || die "this machine has no local NVMe disks, but the queue's local_scratch is $directory"
    mapfile -t disks <<<"$said"
    device=$(stripe "${disks[@]}")
    mkfs.ext4 -q -m 0 -E nodiscard,lazy_itable_init=1,lazy_journal_init=1 "$device"
    uuid=$(blkid -p -s UUID -o value "$device")
    fstab scratch <<<"UUID=$uuid $directory ext4 noatime,nofail,x-systemd.device-timeout=10 0 0"
  fi
  mkdir -p "$directory"
  mount "$directory"
  chmod 1777 "$directory"
}

stripe() { # <disk>...: print the device to use. Refuses a disk that is not empty
  local disk
  for disk in "$@"; do
    if blkid -p "$disk" >&2; then die "$disk: in use or not empty"; fi
  done
  if (($# == 1)); then
    echo "$1"
    return
  fi
  vgcreate -qq hpc-scratch "$@" >&2
  lvcreate -qq -y -n scratch -l 100%FREE -i $# -I 64k hpc-scratch >&2
  echo /dev/hpc-scratch/scratch
}
