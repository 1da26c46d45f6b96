#!/usr/bin/env bash
# Makes build/rfs/archive, once for each list of packages and version of this script: a layer with a flat archive of all packages
# that an image for head, login and compute nodes adds to build/rfs/trixie, below /srv/packages. Never fails: what needs it
# is then skipped.
set -uo pipefail

fail() { echo "not made: $1 (the tests that need it are skipped)" >&2; exit 0; }

wanted() {
  (
    cd hpc_components/boot/scripts || exit
    # shellcheck source=/dev/null
    source common/debian.sh
    # shellcheck source=/dev/null
    source common/packages.sh
    # shellcheck source=/dev/null
    source ../../aws/boot/scripts/common/cloud.sh
    # shellcheck disable=SC2317,SC2329 # what it asks of apt
    known() { false; }
    HPC_ROLE=image HPC_IMAGE_ROLES="head login compute" HPC_OS=debian-13 HPC_ACCOUNTING=local HPC_FABRIC=no HPC_USERS_ON=login \
      HPC_PEOPLE=yes HPC_MONITORING=yes HPC_IMAGE_BUILDS=no wanted
  ) | sort -u
}

fetch() { # <root directory> <package>...: into /srv/packages, with an index
  local root=$1
  shift
  # shellcheck disable=SC2016 # for the shell inside
  mkdir -p "$root/srv/packages" && cp /etc/resolv.conf "$root/etc/" &&
    chroot "$root" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -ec '
      apt-get update -qq
      apt-get install -y -qq --no-install-recommends --download-only "$@"
      cd /srv/packages
      mv /var/cache/apt/archives/*.deb .
      for deb in *%3a*; do mv "$deb" "${deb//%3a/-}"; done # epochs
      for deb in *.deb; do
        dpkg-deb -f "$deb"
        echo "Filename: ./$deb"
        echo "Size: $(stat -c %s "$deb")"
        echo "SHA256: $(sha256sum <"$deb" | cut -d " " -f 1)"
        echo
      done >Packages' - "$@"
}

cd "$(dirname "$0")/.." || exit 0
rfs=$PWD/build/rfs
packages=$(wanted) || fail "build/rfs/archive: the steps don't say which packages it needs"
made_of="${packages//$'\n'/ } $(sha256sum <tools/package_archive.sh)"
[[ -d $rfs/archive && $(cat "$rfs/archive.packages" 2>/dev/null) == "$made_of" ]] && exit 0
[[ $(id -u) -eq 0 ]] || fail "build/rfs/archive: needs root"
[[ -d $rfs/trixie ]] || fail "build/rfs/archive: build/rfs/trixie is missing"
echo "making build/rfs/archive, half a minute ..."
rm -rf "$rfs"/archive.{part,work,upper,root}
mkdir -p "$rfs"/archive.{work,upper,root} "$rfs/archive.part/srv"
# in a mount namespace of its own, so that nothing stays mounted however this ends
export -f fetch
# shellcheck disable=SC2016
unshare -m bash -c 'mount -t overlay overlay \
  -o "lowerdir=$1/trixie,upperdir=$1/archive.upper,workdir=$1/archive.work" "$1/archive.root" &&
  fetch "$1/archive.root" $2' - "$rfs" "$packages" >"$rfs/archive.log" 2>&1 ||
  fail "build/rfs/archive: see build/rfs/archive.log"
mv "$rfs/archive.upper/srv/packages" "$rfs/archive.part/srv/"
rm -rf "$rfs"/archive.{work,upper,root} "$rfs/archive"
mv "$rfs/archive.part" "$rfs/archive"
echo "$made_of" >"$rfs/archive.packages.part" # renamed, because a copy of the tree may share the file by hard links
mv "$rfs/archive.packages.part" "$rfs/archive.packages"
