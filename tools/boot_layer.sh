#!/usr/bin/env bash
# Makes build/rfs/trixie-boot, once for each list of packages and version of this script: the packages that nodes install
# at first boot, as a layer over build/rfs/trixie-slurm, so that the boot tests need no network. Never fails: what needs it
# is then skipped.
set -uo pipefail

fail() { echo "not made: $1 (the tests that need it are skipped)" >&2; exit 0; }

wanted_by() { # <role>: as the boot script itself says
  (
    cd hpc_components/boot/scripts || exit
    # shellcheck source=/dev/null
    source common/debian.sh
    # shellcheck source=/dev/null
    source common/packages.sh
    # shellcheck source=/dev/null
    source ../../aws/boot/scripts/common/cloud.sh
    # what it asks of apt and of the cluster; shellcheck does not see it called
    # shellcheck disable=SC2317
    { known() { false; }; queue() { echo /scratch; }; }
    HPC_ROLE=$1 HPC_OS=debian-13 HPC_ACCOUNTING=local HPC_FABRIC=no HPC_USERS_ON=login HPC_PEOPLE=yes HPC_MONITORING=yes wanted 2>/dev/null
  )
}

install_in() { # <root directory> <package>...
  local root=$1
  shift
  cp /etc/resolv.conf "$root/etc/" && printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" &&
    chmod 755 "$root/usr/sbin/policy-rc.d" &&
    chroot "$root" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -ec '
      apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" && apt-get clean
      systemctl disable -q prometheus prometheus-alertmanager prometheus-node-exporter # as a step leaves them that installs them
      apt-cache -qq gencaches # or every machine makes them for itself' - "$@"
}

cd "$(dirname "$0")/.." || exit 0
rfs=$PWD/build/rfs
mapfile -t packages < <({ wanted_by head; wanted_by login; wanted_by compute; echo nfs-common; echo cron; echo python3-ldap; echo squid; printf "%s\n" dnf dnf-plugins-core createrepo-c rpm; } | sort -u)
made_of="${packages[*]} $(sha256sum <tools/boot_layer.sh)"
[[ -d $rfs/trixie-boot && $(cat "$rfs/trixie-boot.packages" 2>/dev/null) == "$made_of" ]] && exit 0
[[ $(id -u) -eq 0 ]] || fail "build/rfs/trixie-boot: needs root"
[[ -d $rfs/trixie-slurm ]] || fail "build/rfs/trixie-boot: build/rfs/trixie-slurm is missing"
echo "making the layer build/rfs/trixie-boot, half a minute ..."
rm -rf "$rfs/trixie-boot.part" "$rfs/trixie-boot.work" "$rfs/trixie-boot.log"
mkdir -p "$rfs"/trixie-boot.{part,work,root}
# in a mount namespace of its own, so that nothing stays mounted however this ends
export -f install_in
# shellcheck disable=SC2016
unshare -m bash -c 'mount -t overlay overlay \
  -o "lowerdir=$1/trixie-slurm,upperdir=$1/trixie-boot.part,workdir=$1/trixie-boot.work" "$1/trixie-boot.root" &&
  install_in "$1/trixie-boot.root" "${@:2}"' - "$rfs" "${packages[@]}" >"$rfs/trixie-boot.log" 2>&1 ||
  fail "build/rfs/trixie-boot: see build/rfs/trixie-boot.log"
rm -rf "$rfs/trixie-boot.work" "$rfs/trixie-boot.root"
rm -rf "$rfs/trixie-boot"
mv "$rfs/trixie-boot.part" "$rfs/trixie-boot"
echo "$made_of" >"$rfs/trixie-boot.packages.part" # renamed, because a copy of the tree may share the file by hard links
mv "$rfs/trixie-boot.packages.part" "$rfs/trixie-boot.packages"
