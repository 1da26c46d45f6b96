#!/bin/sh
# First process of a host: its own root over the given one, its own /proc, /run, /tmp, and /dev.
# usage: host_init.sh <directory> <name> <root to lay over> <shared directory>
set -eu
dir=$1 name=$2 lower=$3 shared=$4
mount --make-rprivate /
hostname "$name"
mount -t tmpfs -o mode=755 tmpfs "$dir"
mkdir -p "$dir/upper" "$dir/work" "$dir/root"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$dir/upper,workdir=$dir/work" "$dir/root"
root=$dir/root
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
mkdir "$root/sys/fs/cgroup/systemd"
mount --bind /sys/fs/cgroup/systemd "$root/sys/fs/cgroup/systemd" # slurmd only wants to see it
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mkdir -p "$root/shared" "$root/etc/slurm" "$root/etc/munge"
mount --bind "$shared" "$root/shared"
echo "$name" >"$root/etc/hostname"
cp "$shared/hosts" "$root/etc/hosts"
rm -f "$root/etc/resolv.conf" "$root/etc/slurm/plugstack.conf"
: >"$root/etc/resolv.conf"
cp "$shared/munge.key" "$root/etc/munge/munge.key"
grep -q '^alice:' "$root/etc/passwd" || {
  echo 'alice:x:2001:2001::/tmp:/bin/bash' >>"$root/etc/passwd"
  echo 'alice:x:2001:' >>"$root/etc/group"
}
cd "$root"
mkdir -p .old
pivot_root . .old
cd /
umount -l /.old
rmdir /.old
ip link set lo up
chown munge: /etc/munge /etc/munge/munge.key
chmod 700 /etc/munge
chmod 400 /etc/munge/munge.key
mkdir -p /run/munge /var/log/munge /var/lib/munge /var/spool/slurmd /var/spool/slurmctld /run/slurm
chown munge: /run/munge /var/log/munge /var/lib/munge
chown slurm: /var/spool/slurmctld
: >"/shared/$name.up"
exec bash -c 'trap : CHLD; while :; do sleep 1000 & wait $!; done'
