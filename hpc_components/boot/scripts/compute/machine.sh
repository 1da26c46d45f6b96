# The machine that a compute node is: its processors and its own disks.
# shellcheck shell=bash

processors() { # slurmctld refuses a node with fewer than slurm.conf says, with a reason that nobody understands
  local says here smt
  says=$(queue cpus)
  here=$(nproc --all)
  ((here >= says)) || die "$here CPUs are here, and slurm.conf says $says"
  smt=$(cat /sys/devices/system/cpu/smt/active 2>/dev/null || echo 0)
  [[ $(queue smt) == yes || $smt == 0 ]] || die "each core has two threads here, and the queue's smt is off"
}

gpus() { # slurmd ends where a device file of gres.conf is not there
  local says here=0 files file
  says=$(queue gpus)
  if ((says == 0)); then return; fi
  if command -v nvidia-smi >/dev/null; then nvidia-smi -L || true; fi # NVIDIA's driver makes its files when it is asked
  files=$(gpu_files)
  for file in $files; do
    if [[ -e $file ]]; then here=$((here + 1)); fi
  done
  ((here >= says)) || die "$here GPUs are here, and slurm.conf says $says: use an image that has their driver"
}

gpu_files() { # as gres.conf names them for the queue: /dev/nvidia[0-7] -> a path each
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

# The machine's own disks as one; what is on them is gone with the node. Network volumes are never looked at.
# nofail: a machine from an image of this node has other disks, and must come as far as making a file system on them.
# slurmd needs the mount.
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
    [[ -n $said ]] || die "no NVMe disks of its own, and the queue's local_scratch is $directory"
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

stripe() { # <disk>...: the device to use. Refuses a disk that holds anything
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
