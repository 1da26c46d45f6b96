# How Debian's family gets packages: its archives, and one of your own.
# shellcheck shell=bash

APT=/etc/apt
SOURCE=$APT/sources.list.d/hpc.list
COPY=/var/cache/hpc-packages
ASKED=/opt/hpc/package_source # the package source whose index has been read, on this node or in its image

# A flat package archive: .deb files and the index created by `dpkg-scanpackages . >Packages`. Its packages take
# precedence over the system's. It is trusted for its address: https, or a bucket that the node's role may read.
package_source() {
  local address=$HPC_PACKAGE_SOURCE from=$HPC_PACKAGE_SOURCE origin="" names
  if [[ -z $address ]]; then
    rm -f $SOURCE $APT/preferences.d/hpc $ASKED
    return
  fi
  if [[ $(cat $ASKED 2>/dev/null) == "$address" ]]; then return; fi
  if in_bucket "$address"; then
    names=$(cloud_packages)
    # shellcheck disable=SC2086 # one word per package
    install $names
    from=file:$COPY
  else
    origin=${address#https://} origin=${origin%%[:/]*}
  fi
  put $SOURCE 644 <<<"deb [trusted=yes] $from ./"
  put $APT/preferences.d/hpc 644 <<<$'Package: *\nPin: origin "'"$origin"$'"\nPin-Priority: 1001'
  update
  put $ASKED 644 <<<"$address"
}

copied() { # fetch the package source, if it is in a bucket
  if [[ ! -e $SOURCE ]] || ! in_bucket "$HPC_PACKAGE_SOURCE"; then return; fi
  fetch_folder "$HPC_PACKAGE_SOURCE" $COPY
  compgen -G "$COPY/Packages*" >/dev/null ||
    die "$HPC_PACKAGE_SOURCE: no Packages file; create one beside the .deb files with \`dpkg-scanpackages . >Packages\`"
}

known() { # <package>: whether it is available, or installed
  [[ $(apt-cache policy "$1") =~ Candidate:\ [^\(] ]]
}

install() { # <package>...
  local need
  need=$(missing "$@")
  if [[ -z $need ]]; then return; fi
  start_nothing
  trap start_again EXIT
  if compgen -G '/var/lib/dpkg/updates/[0-9]*' >/dev/null; then # a node went down during an installation: apt-get refuses to go on
    DEBIAN_FRONTEND=noninteractive dpkg --configure -a --force-confold || true # another process may be doing it: apt-get waits for it
  fi
  if [[ -z $(find "$RUN/updated" -mmin -60 2>/dev/null) ]]; then update; fi
  # shellcheck disable=SC2086
  apt_get install --no-install-recommends $need
  leave_off slurmd slurmctld slurmdbd mariadb munge prometheus prometheus-alertmanager prometheus-node-exporter
}

# Adds a vendor's archive by the package that the vendor publishes for that, with the archive's key.
vendor_archive() { # <https address>
  curl -fsSL --retry 5 --max-time 60 -o "$RUN/archive.deb" "$1" || die "$1: can't be fetched"
  install lsb-release # which the scripts of such packages call
  DEBIAN_FRONTEND=noninteractive dpkg -i "$RUN/archive.deb"
  rm "$RUN/archive.deb"
  update
}

keyed_archive() { # <name> <address> <address of its key>: a vendor's archive without subfolders
  local key=/usr/share/keyrings/$1.asc
  curl -fsSL -m 60 --retry 5 "$3" | put "$key" 644 || die "$3: can't be fetched"
  put "$APT/sources.list.d/$1.list" 644 <<<"deb [signed-by=$key] $2 /"
  update
}

missing() { # <package>...: those that are neither installed nor provided by an installed package
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package} ${Provides}\n' |
    sed -nE 's/ \([^)]*\)|,//g; s/^installed //p' | tr -s ' ' '\n')
  printf '%s\n' "$@" | grep -vxF "$installed" | sort -u || true
}

installed_slurm() { # its version
  dpkg-query -W -f '${db:Status-Status} ${Package} ${source:Upstream-Version}\n' |
    sed -nE 's/^installed slurm-(smd-)?client //p'
}

library_directory() { echo "/usr/lib/$(gcc -print-multiarch)"; }

update() {
  local said try=1 waited=0
  copied
  while ((try <= 3)); do
    if said=$(apt_get update -o APT::Update::Error-Mode=any 2>&1); then
      touch "$RUN/updated"
      return
    fi
    echo "$said"
    if [[ $said == *lists/lock* ]] && ((waited++ < 60)); then # the system's own check for updates: wait ten minutes
      sleep 10
    elif ((try++ < 3)); then
      sleep $((try * 5 - 5))
    elif set_aside "$said"; then
      try=3
    fi
  done
  die "apt-get update failed three times; nodes without internet access need images that contain their packages"
}

# An image may contain lists of other software (CUDA, Docker) whose archive or key no longer exists. A node must not
# fail because of them: they are set aside, unless the system or cluster needs them. Fails if none was set aside.
set_aside() { # <output of apt-get update>
  local hosts lists list
  hosts=$(sed -nE 's,.*https?(://[^/ ]+).*,\1,p' <<<"$1")
  if [[ -z $hosts ]]; then return 1; fi
  mapfile -t lists < <(grep -lF "$hosts" $APT/sources.list.d/*.list $APT/sources.list.d/*.sources 2>/dev/null)
  for list in "${lists[@]}"; do
    if is_needed "$list"; then continue; fi
    echo "an archive of $list does not answer; the list is set aside, since the cluster does not need it"
    mv "$list" "$list.set-aside"
    hosts=
  done
  [[ -z $hosts ]]
}

is_needed() { # <apt list>
  [[ ${1##*/} == @(hpc*|debian.sources|ubuntu.sources) ]] && return
  [[ -n ${HPC_LUSTRE_PACKAGES-} ]] && grep -qF "$HPC_LUSTRE_PACKAGES" "$1"
}

apt_get() { # the first boot of some images installs updates at the same time: wait for them
  DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get -qq -y -o DPkg::Lock::Timeout=600 \
    -o Acquire::Retries=5 -o Acquire::http::Timeout=30 -o Dpkg::Options::=--force-confold "$@"
}

# Keep packages from starting their services before these are configured.
start_nothing() {
  if [[ ! -e /usr/sbin/policy-rc.d ]]; then
    printf '#!/bin/sh\n# by hpc-boot, while it installs packages\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod 755 /usr/sbin/policy-rc.d
  fi
}

leave_off() { # <unit>...: disable units until their step enables them, except those that run already
  local unit
  for unit in "$@"; do
    if ! systemctl is-active -q "$unit"; then systemctl disable -q --no-reload "$unit" 2>/dev/null || true; fi
  done
}

start_again() {
  if grep -qs 'by hpc-boot' /usr/sbin/policy-rc.d; then rm /usr/sbin/policy-rc.d; fi
}

forget_archives() { # remove what was fetched of the system's archives, and make the cache that all apt-cache would make
  rm -rf /var/lib/apt/lists/*
  apt-get clean
  apt-cache -qq gencaches
}
