# The volume that survives the head node: Slurm's state, the accounting database, the journal of launches, the keys.
# shellcheck shell=bash

STATE=/var/lib/hpc

state_volume() {
  local disk
  if ! mountpoint -q $STATE; then
    disk=$(state_disk)
    format_if_blank "$disk"
    source common/mounts.sh
    # Without it the node still boots, and can be inspected; services that need it do not start.
    fstab state <<<"UUID=$(blkid -s UUID -o value "$disk") $STATE ext4 noatime,nofail,x-systemd.device-timeout=60 0 2"
    mkdir -p $STATE
    mount $STATE
  fi
  disk=$(findmnt -n -o SOURCE $STATE)
  if [[ -b $disk ]]; then grow "$disk"; fi
}

grow() { # <disk>: a node sees a larger volume some time after `pulumi up` has requested it
  local bytes
  bytes=$(blockdev --getsize64 "$1")
  ((bytes >= HPC_STATE_GIB << 30)) ||
    die "the state volume has $((bytes >> 30)) GiB instead of $HPC_STATE_GIB: the cloud is still enlarging it; retried every minute"
  resize2fs "$1"
}

format_if_blank() { # <disk>: never one that holds data
  local found
  if [[ $(blkid -p -s TYPE -o value "$1") == ext4 ]]; then return; fi
  found=$(blkid -p -o export "$1" | sed '/^DEVNAME=/d' || true)
  [[ -z $found ]] || die "state volume $1 is neither blank nor ours: ${found//$'\n'/, }"
  # no signature found: a blank volume begins with zeros
  cmp -s -n 1048576 "$1" /dev/zero || die "state volume $1 holds unknown data, and is not formatted"
  mkfs.ext4 -q -L hpc-state "$1"
  echo "formatted $1"
}
