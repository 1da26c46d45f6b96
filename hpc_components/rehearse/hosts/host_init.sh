#!/bin/bash
# Sets up one host in new namespaces and stays as its first process.
# Environment: NAME, AT (an empty directory), LOWER (root file systems, one above another), CGROUP (empty: none), BINDS (lines
# "source target"), DEVICES (lines "path major minor"), HOSTS (text of /etc/hosts),
# DOMAIN (search domain), USERS (lines "name id").
set -euo pipefail

root_file_system() {
  mount --make-rprivate /
  hostname "$NAME"
  mount -t tmpfs -o mode=755 tmpfs "$AT"
  mkdir "$AT/upper" "$AT/work" "$AT/root"
  mount -t overlay -o "lowerdir=$LOWER,upperdir=$AT/upper,workdir=$AT/work" overlay "$AT/root"
  cd "$AT/root"
  mkdir -p proc sys dev run tmp
  mount -t proc proc proc
  mount -t sysfs sysfs sys
  mount -t tmpfs -o mode=755 tmpfs run
  mount -t tmpfs -o mode=1777 tmpfs tmp
}

devices() {
  local path major minor
  mount -t tmpfs -o mode=755 tmpfs dev
  mkdir dev/pts dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
  mount -t tmpfs -o mode=1777 tmpfs dev/shm
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  while read -r path major minor; do
    [[ -n $path ]] || continue
    mkdir -p ".${path%/*}"
    mknod -m 666 "${path#/}" c "$major" "$minor"
  done <<<"$DEVICES"
}

# A subtree of each controller of cgroup v1, which Slurm sees as the whole hierarchy.
cgroups() {
  local controller own file level
  [[ -n $CGROUP ]] || return 0
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  for controller in freezer memory cpuset devices cpuacct systemd; do
    [[ -d /sys/fs/cgroup/$controller ]] || continue
    own=/sys/fs/cgroup/$controller/$CGROUP/$NAME
    mkdir -p "$own" "sys/fs/cgroup/$controller"
    if [[ $controller == cpuset ]]; then # a new one is empty and takes no process
      for level in "${own%/*}" "$own"; do
        for file in cpuset.cpus cpuset.mems; do cat "/sys/fs/cgroup/cpuset/$file" >"$level/$file"; done
      done
    fi
    mount --bind "$own" "sys/fs/cgroup/$controller"
  done
}

binds() {
  local source target
  while read -r source target; do
    [[ -z $source ]] && continue
    mkdir -p ".$target"
    mount --bind "$source" ".$target"
  done <<<"$BINDS"
}

# The hosts file has the host's own name. All other names are resolved by the host's own forwarder.
names() {
  echo "$NAME" >etc/hostname
  rm -f etc/hosts etc/resolv.conf
  echo "$HOSTS" >etc/hosts
  printf 'nameserver 127.0.0.1\nsearch %s\n' "$DOMAIN" >etc/resolv.conf
  sed -i 's/^hosts:.*/hosts: files dns/' etc/nsswitch.conf
}

homes() {
  local user id
  while read -r user id; do
    [[ -n $user ]] || continue
    mkdir -p "home/$user"
    chown "$id:$id" "home/$user"
  done <<<"$USERS"
}

# Remove the machine's own configuration of Slurm and munge.
configuration() {
  rm -rf etc/slurm etc/munge
  mkdir etc/slurm etc/munge
}

enter() {
  mkdir .old
  pivot_root . .old
  cd /
  umount -l .old
  rmdir .old
  ip link set lo up
}

root_file_system
devices
cgroups
binds
names
homes
configuration
enter
touch /run/host-is-made
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c 'trap : CHLD; while :; do sleep 1000 & wait $!; done'
