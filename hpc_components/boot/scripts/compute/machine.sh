# The machine that a compute node is: its processors and its own disks.
# shellcheck shell=bash

processors() { # a node with fewer than slurm.conf says is refused by slurmctld, with a reason that nobody understands
  local says here smt
  says=$(queue cpus)
  here=$(nproc --all)
  ((here >= says)) || die "$here CPUs are here, and slurm.conf says $says"
  smt=$(cat /sys/devices/system/cpu/smt/active 2>/dev/null || echo 0)
  [[ $(queue smt) == yes || $smt == 0 ]] || die "each core has two threads here, and the queue's smt is off"
}

gpus() { # slurmd ends where it does not find /dev/nvidia*, which the driver makes when it is first asked
  local says here
  says=$(queue gpus)
  if ((says == 0)); then return; fi
  here=$(nvidia-smi -L | grep -c '^GPU' || true)
  ((here >= says)) || die "$here GPUs are here, and slurm.conf says $says: use an image with NVIDIA's driver for them"
}

# The instance's own NVMe disks as one; what is on them is gone with the node. Network volumes are never looked at.
# nofail: a machine from an image of this node has other disks, and must come as far as making a file system on them.
# slurmd needs the mount.
local_scratch() {
  local directory device uuid disks=()
  directory=$(queue local_scratch)
  if [[ $directory == - ]] || mountpoint -q "$directory"; then return; fi
  source common/mounts.sh
  if systemctl cat dlami-nvme >/dev/null 2>&1; then # AWS's images for GPUs make one of them, elsewhere
    systemctl start dlami-nvme
    fstab scratch <<<"/opt/dlami/nvme $directory none bind,nofail,x-systemd.requires=dlami-nvme.service 0 0"
  else
    mapfile -t disks < <(own_disks)
    ((${#disks[@]})) || die "no NVMe disks of its own, and the queue's local_scratch is $directory"
    device=$(stripe "${disks[@]}")
    mkfs.ext4 -q -m 0 -E nodiscard,lazy_itable_init=1,lazy_journal_init=1 "$device"
    uuid=$(blkid -p -s UUID -o value "$device")
    fstab scratch <<<"UUID=$uuid $directory ext4 noatime,nofail,x-systemd.device-timeout=10 0 0"
  fi
  mkdir -p "$directory"
  mount "$directory"
  chmod 1777 "$directory"
}

own_disks() { # paths, one a line. Source: EC2 user guide, "Instance store volumes": the model tells them from EBS
  lsblk -dnpo NAME,MODEL | sed -n 's/ \+Amazon EC2 NVMe Instance Storage *$//p'
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
