# InfiniBand: the image brings driver and MPI, Azure's agent the addresses. This only looks whether all is there.
# shellcheck shell=bash
source common/cloud.env

IMAGE="use Azure's HPC image (image: microsoft-dsvm:ubuntu-hpc:2404:<version>), or one made of it"
SECURE="secure boot is on and loads no unsigned module: unregister the subscription's feature TrustedLaunchByDefaultPreview"

infiniband() { # node | users | image
  local built try lacks
  built=$(fabric_mpi)
  if [[ $1 != node ]]; then
    if [[ -z $built ]]; then install_hpcx; fi
    return
  fi
  [[ -n $built ]] || die "no HPC-X in this image: $IMAGE"
  for ((try = 0; try < 90; try++)); do # a port is active when the fabric's manager has seen it
    lacks=$(lacking)
    if [[ -z $lacks ]]; then return; fi
    sleep 2
  done
  die "$lacks"
}

lacking() { # what is not up yet
  local ports port state interfaces name
  ports=$(rdma link show | grep ' sm_lid ') || true # of Ethernet adapters none
  if [[ -z $ports ]]; then
    if secure_boot; then echo "no InfiniBand adapter with a driver is here: $SECURE"; return; fi
    echo "no InfiniBand adapter with a driver is here: $IMAGE"
    return
  fi
  while read -r _ port state; do
    state=${state##* state }
    [[ ${state%% *} == ACTIVE ]] ||
      { echo "InfiniBand port $port is ${state%% *}, not ACTIVE: the machine is not in the fabric"; return; }
  done <<<"$ports"
  interfaces=$(ip -o link show | awk '/ link\/infiniband / { sub(":", "", $2); print $2 }')
  [[ -n $interfaces ]] || { echo "no IPoIB interface is here: load ib_ipoib at boot, or $IMAGE"; return; }
  for name in $interfaces; do
    [[ -n $(ip -o -4 address show dev "$name") ]] ||
      { echo "$name has no address: Azure's agent gives it one if /etc/waagent.conf says OS.EnableRDMA=y; $IMAGE"; return; }
  done
}

secure_boot() { # four bytes of attributes come first
  [[ $(od -An -tu1 -j4 -N1 /sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c 2>/dev/null) -eq 1 ]]
}

install_hpcx() { # as Azure's HPC image has it, for people to compile with
  local at name=${HPC_HPCX##*/}
  [[ -n $HPC_HPCX ]] || die "there is no HPC-X for $HPC_OS: use os: ubuntu-24.04 or ubuntu-22.04"
  trap 'rm -rf /var/tmp/hpcx.*' EXIT # also where it fails: the head node tries every minute, until its disk were full
  at=$(mktemp -d /var/tmp/hpcx.XXXXXX)
  curl -fsS --retry 5 -m 1200 -o "$at/$name" "$HPC_HPCX" || die "$HPC_HPCX: can't be fetched"
  sha256sum --status -c <<<"$HPC_HPCX_SHA256  $at/$name" || die "$HPC_HPCX: not the checksum that it had in Azure's HPC image"
  tar -xjf "$at/$name" -C "$at"
  mv "$at/${name%.tbz}" /opt/
}
