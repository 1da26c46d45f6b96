# The network cards beside the first one: for Cloud RDMA (h4d), RoCE (a3-ultragpu, a4) or GPUDirect-TCPX (other a3).
# Google's guest agent gives them addresses. This brings libraries and settings, and looks whether all cards are up.
# shellcheck shell=bash

fabric_cards() { # node | users
  local cards try lacks
  source common/packages.sh
  if [[ $1 == users ]]; then
    # the fabric brings no MPI of its own: people compile for the system's
    install libopenmpi-dev libfabric-dev libibverbs-dev
    return
  fi
  install iproute2 rdma-core ibverbs-providers libfabric1
  cards=$(google cards)
  [[ -n $cards ]] || die "the machine has one network card: its queue's template gives it no further one"
  for ((try = 0; try < 90; try++)); do
    lacks=$(lacking "$cards")
    if [[ -z $lacks ]]; then
      settings
      return
    fi
    sleep 2
  done
  die "$lacks"
}

lacking() { # <addresses of cards>: what is not up yet
  local links ports mac name driver port
  links=$(ip -o link show)
  ports=$(rdma link show) || true
  for mac in $1; do
    [[ $links =~ (^|$'\n')[0-9]+:\ ([^:@ ]+)[^$'\n']*\ link/ether\ $mac ]] ||
      { echo "network card $mac has no driver here: use an image with a kernel that has one (gve, idpf, mlx5_core)"; return; }
    name=${BASH_REMATCH[2]}
    [[ -n $(ip -o -4 address show dev "$name") ]] ||
      { echo "$name has no address: Google's guest agent gives it one (systemctl status google-guest-agent)"; return; }
    driver=$(readlink -f "/sys/class/net/$name/device/driver")
    if [[ $driver == */@(gve|virtio_net) ]]; then continue; fi # Ethernet alone
    [[ $ports =~ link\ ([^ ]+)\ state\ ([^ ]+)[^$'\n']*\ netdev\ $name([ $'\n']|$) ]] ||
      { echo "$name has no RDMA device: use an image of your own with its driver (irdma, mlx5_ib), or fabric: false; Google has irdma for Rocky Linux alone"; return; }
    port=${BASH_REMATCH[1]}
    [[ ${BASH_REMATCH[2]} == ACTIVE ]] ||
      { echo "RDMA port $port of $name is ${BASH_REMATCH[2]}, not ACTIVE: the machine is not in the fabric"; return; }
  done
}

settings() { # `module load openmpi` loads them, and so does `module load cloud-rdma`
  local ports
  ports=$(rdma link show) || true
  {
    echo '#%Module1.0'
    echo "module-whatis {Settings of MPI and NCCL for this machine's network cards}"
    if [[ $ports == *"link irdma"* ]]; then irdma; fi
    if [[ -d /usr/local/gib ]]; then nccl /usr/local/gib/lib64 /usr/local/gib/scripts/set_nccl_env.sh; fi
    if [[ -d /var/lib/fastrak ]]; then nccl /var/lib/fastrak/lib64 /var/lib/fastrak/lib64/nccl-env-profile.sh; fi
  } | put "$FABRIC_MODULE" 644
}

# Source: GoogleCloudPlatform/cluster-toolkit, examples/h4d; for libfabric and Intel MPI. Unsure: third parties report
# that libfabric 2.2 or newer is needed, and FI_VERBS_GID_IDX=1
irdma() {
  cat <<'END'
setenv FI_PROVIDER {verbs;ofi_rxm}
setenv FI_OFI_RXM_USE_RNDV_WRITE 0
setenv FI_VERBS_INLINE_SIZE 39
setenv FI_UNIVERSE_SIZE 1024
setenv I_MPI_FABRICS shm:ofi
setenv I_MPI_ADJUST_ALLTOALL 1
setenv I_MPI_ADJUST_IALLTOALL 1
setenv I_MPI_ADJUST_BCAST 4
setenv I_MPI_ADJUST_IBCAST 1
END
}

# Google's plugin for NCCL comes with its images for GPUs, or is put there by the image's maker. Its settings are of its
# own release. Source: cluster-toolkit, examples/machine-learning, a3-ultragpu-8g and a3-megagpu-8g
nccl() { # <libraries> <script with the settings>
  echo "setenv NCCL_LIB_DIR $1"
  echo "prepend-path LD_LIBRARY_PATH $1"
  if [[ -e $2 ]]; then echo "source-sh bash $2"; fi
}
