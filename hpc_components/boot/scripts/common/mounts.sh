# Shared file systems. They are mounted here and now, not when first used: a node that can't mount them is no node.
# shellcheck shell=bash

table() { # mounts.json, a line each: directory, type, source, options
  python3 -c 'import json
for each in json.load(open("common/mounts.json")):
    print(each["mount"], each["type"], each["from"], each["options"])'
}

mounts() {
  local wanted directory type from options
  wanted=$(table)
  while read -r directory type from options; do
    if [[ -n $directory ]] && ! mountpoint -q "$directory"; then
      keep_homes "$directory"
      mkdir -p "$directory"
    fi
  done <<<"$wanted"
  while read -r directory type from options; do
    if [[ -n $directory ]]; then echo "$from $directory $type $options 0 0"; fi
  done <<<"$wanted" | fstab shared
  reload
  while read -r directory type from options; do
    if [[ -n $directory ]]; then mount_one "$directory"; fi
  done <<<"$wanted"
}

fstab() { # <part>: our lines of that name in /etc/fstab are those on stdin
  {
    sed "/^# hpc begin $1$/,/^# hpc end $1$/d" /etc/fstab
    echo "# hpc begin $1"
    cat
    echo "# hpc end $1"
  } | put /etc/fstab 644
  touch "$RUN/reload"
}

mount_one() { # <directory>, as fstab says
  local try said began=$SECONDS
  for ((try = 0; try < 18 && SECONDS - began < 180; try++)); do # EFS: the name of a new mount target takes 90 s
    if mountpoint -q "$1" || said=$(timeout -k 5 90 mount "$1" 2>&1); then return; fi
    sleep 10
  done
  die "$1: can't be mounted: $(sed '/^[[:space:]]*$/d' <<<"$said" | head -n 1)"
}

# A file system over /home would hide the home of the image's own user and the key that it is reached by.
keep_homes() { # <directory>
  local name home users
  users=$(</etc/passwd)
  while IFS=: read -r name _ _ _ _ home _; do
    if [[ $home == "$1"/* && -d $home ]]; then
      mkdir -p /var/local/home
      cp -a "$home" /var/local/home/
      sed -i "s|^\($name:.*\):$home:\([^:]*\)$|\1:/var/local/home/${home##*/}:\2|" /etc/passwd
      echo "$name: home is /var/local/home/${home##*/}, because $1 is shared"
    fi
  done <<<"$users"
}

lustre_client() { # Source: FSx for Lustre user guide, "Installing the Lustre client", Ubuntu
  local key=/usr/share/keyrings/fsx-lustre.asc list=/etc/apt/sources.list.d/fsx-lustre.list module release
  if ! table | grep -q ' lustre '; then return; fi
  module=lustre-client-modules-$(uname -r)
  if ! modinfo lustre >/dev/null 2>&1 || ! command -v mount.lustre >/dev/null; then
    source common/packages.sh
    # shellcheck source=/dev/null
    release=$(source /etc/os-release && echo "$VERSION_CODENAME")
    curl -fsS -m 60 --retry 5 "$HPC_LUSTRE_KEY" | put "$key" 644
    # apt reads nothing at all where two lists have other keys for one address: an image may have AWS's own
    if ! grep -rqsF --exclude="${list##*/}" "$HPC_LUSTRE_PACKAGES" /etc/apt/sources.list /etc/apt/sources.list.d; then
      put "$list" 644 <<<"deb [signed-by=$key] $HPC_LUSTRE_PACKAGES $release main"
    fi
    update
    if ! modinfo lustre >/dev/null 2>&1; then
      known "$module" ||
        die "no Lustre client for kernel $(uname -r): AWS has no $module; use an image with a kernel that it has one for"
      install "$module"
    fi
    install lustre-client-utils # mount.lustre; the modules only recommend it
  fi
  # another kernel at the next boot would be one without the module
  apt-mark -q hold linux-aws linux-image-aws linux-headers-aws >/dev/null || true
  modprobe lustre
}

# A new Lustre file system belongs to root alone, and users write to it: as into /tmp. Those that were there before the
# cluster, or that somebody has given other rights, are left as they are.
open_lustre() {
  local directory
  for directory in $HPC_OWN_LUSTRE; do
    if [[ $(stat -c '%U %a' "$directory") == 'root 755' ]]; then
      chmod 1777 "$directory"
      echo "$directory is for all users"
    fi
  done
}
