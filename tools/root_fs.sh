#!/usr/bin/env bash
# Builds root file systems of Debian 13 for the tests, once per list of packages: build/rfs/trixie boots (systemd, cloud-init; no
# Slurm), build/rfs/trixie-slurm also has Slurm's packages. Never fails: tests that need them are then skipped.
set -uo pipefail

BARE=systemd,systemd-sysv,dbus,udev,cloud-init,netplan.io,iproute2,openssh-server,sudo,ca-certificates,curl,openssl
BARE+=,python3,gnupg,procps
SLURM="slurmctld slurmd slurmdbd slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin slurm-wlm-jwt-plugin
  munge mariadb-server openmpi-bin python3-mpi4py environment-modules libpam-slurm-adopt openssh-client
  dnsmasq-base"

fail() { echo "not built: $1 (the tests that need it are skipped)" >&2; exit 0; }

mirror() { # prints the archive of this machine's own packages
  local sources=(/etc/apt/sources.list /etc/apt/sources.list.d/*)
  { sed -nE 's/^URIs: *(\S+debian\/?)( .*)?$/\1/p' "${sources[@]}"; sed -nE 's/^deb .*(https?:\S+debian\/?) .*/\1/p' \
    "${sources[@]}"; } 2>/dev/null | head -n 1
}

inside() { chroot "$1" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$2"; }

bare() { # <directory>; its dpkg, and that of the layers over it, waits for no disk: what is lost is built anew
  mkdir -p "$1/etc/dpkg/dpkg.cfg.d" && echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io" &&
    debootstrap --include="$BARE" trixie "$1" "$(mirror)" &&
    printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d" && chmod +x "$1/usr/sbin/policy-rc.d"
}

slurm() { # <directory>
  cp -a build/rfs/trixie "$1" && cp /etc/resolv.conf "$1/etc/" &&
    inside "$1" "apt-get update -qq && apt-get install -y -qq --no-install-recommends ${SLURM//$'\n'/}"
}

make_one() { # <name> <function> <packages>
  [[ -d build/rfs/$1 && $(cat "build/rfs/$1.packages" 2>/dev/null) == "$3" ]] && return
  echo "building the root file system build/rfs/$1 (takes a minute) ..."
  rm -rf "build/rfs/$1.part" build/rfs/trixie-boot # a layer over it
  "$2" "build/rfs/$1.part" >"build/rfs/$1.log" 2>&1 || fail "build/rfs/$1: see build/rfs/$1.log"
  rm -rf "build/rfs/$1"
  mv "build/rfs/$1.part" "build/rfs/$1"
  echo "$3" >"build/rfs/$1.packages"
}

cd "$(dirname "$0")/.." || exit 0
[[ $(id -u) -eq 0 ]] || fail "build/rfs: needs root"
command -v debootstrap >/dev/null || fail "build/rfs: debootstrap is missing"
mkdir -p build/rfs
make_one trixie bare "$BARE"
make_one trixie-slurm slurm "$BARE $SLURM"
