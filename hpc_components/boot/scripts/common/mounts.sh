# Shared file systems. Mounted at boot, not at first use: a node that can't mount them must not join.
# shellcheck shell=bash

table() { # prints mounts.json, a line per mount: directory, type, source, options
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

fstab() { # <part>: replace our lines of that name in /etc/fstab by stdin
  {
    sed "/^# hpc begin $1$/,/^# hpc end $1$/d" /etc/fstab
    echo "# hpc begin $1"
    cat
    echo "# hpc end $1"
  } | put /etc/fstab 644
}

mount_one() { # <directory>, as in fstab
  local try said began=$SECONDS
  for ((try = 0; try < 18 && SECONDS - began < 180; try++)); do # the name of a new server may resolve late (EFS: 90 s)
    if mountpoint -q "$1" || said=$(timeout -k 5 90 mount "$1" 2>&1); then return; fi
    sleep 10
  done
  die "$1: cannot mount: $(sed '/^[[:space:]]*$/d' <<<"$said" | head -n 1)"
}

# A file system over /home would hide the home of the image's own user, and the key for logging in as that user.
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

lustre_client() {
  if [[ $HPC_ROLE == image ]]; then
    if [[ $HPC_IMAGE_LUSTRE != yes ]]; then return; fi
  elif ! table | grep -q ' lustre '; then
    return
  fi
  install_lustre_client
  modprobe lustre
}

# A new Lustre file system is writable by root only; open it to all users, like /tmp. File systems that existed before
# the cluster, or that have other permissions, stay unchanged.
open_lustre() {
  local directory
  for directory in $HPC_OWN_LUSTRE; do
    if [[ $(stat -c '%U %a' "$directory") == 'root 755' ]]; then
      chmod 1777 "$directory"
      echo "$directory is now writable by all users"
    fi
  done
}
