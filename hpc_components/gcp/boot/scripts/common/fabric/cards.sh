# The network cards beside the first one: for Cloud RDMA (h4d), RoCE (a3-ultragpu, a4) or GPUDirect-TCPX (other a3).
# Google's guest agent gives them addresses. This brings libraries and settings, and looks whether all cards are up.
# shellcheck shell=bash

fabric_cards() { # node | users | image
  local cards try lacks
  source common/packages.sh
  if [[ $1 == users ]]; then
    # the fabric brings no MPI of its own: people compile for the system's
    install libopenmpi-dev libfabric-dev libibverbs-dev
    return
  fi
  install iproute2 rdma-core ibverbs-providers libfabric1
  if [[ $1 == image ]]; then # of the machines that boot from it, only those for GPUs have their driver
    if command -v nvidia-smi >/dev/null; then gib; fi
    return
  fi
  cards=$(google cards)
  [[ -n $cards ]] || die "the machine has one network card: its queue's template gives it no further one"
  for ((try = 0; try < 90; try++)); do
    lacks=$(lacking "$cards")
    if [[ -z $lacks ]]; then
      if command -v nvidia-smi >/dev/null && [[ $(rdma link show) == *"link mlx5"* ]]; then gib; fi
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

# What NCCL needs to use the RDMA cards, and what watches the GPUs. Google's images for GPUs have the driver alone; its
# own example starts from them too, and installs these. Source: boot/software.json
gib() {
  source common/cloud.env
  if [[ ! -d /usr/local/gib ]]; then
    apt_list hpc-transport "$HPC_TRANSPORT_KEY" "$HPC_TRANSPORT_PACKAGES"
    update
    install apt-transport-artifact-registry # it reads the next list
    apt_list hpc-gib "$HPC_LUSTRE_KEY" "$HPC_GIB_PACKAGES"
    update
    install "nccl-gib=$HPC_GIB_VERSION"
    apt-mark -q hold nccl-gib
  fi
  if [[ -z $(missing libnccl2 "$HPC_DCGM_PACKAGE") ]]; then return; fi
  if ! known "$HPC_DCGM_PACKAGE"; then
    curl -fsS -m 60 --retry 5 -o "$RUN/cuda-keyring.deb" "${HPC_NVIDIA_KEYRING/ubuntu2404/"${HPC_OS//[-.]/}"}"
    dpkg -i "$RUN/cuda-keyring.deb"
    # the driver stays the image's own
    put "$APT/preferences.d/hpc-nvidia" 644 <<<$'Package: *\nPin: release l=NVIDIA CUDA\nPin-Priority: 400'
    update
  fi
  install "libnccl2=$HPC_NCCL_VERSION" "$HPC_DCGM_PACKAGE"
  local now=--now
  if [[ $HPC_ROLE == image ]]; then now=""; fi # where an image is made, there may be no GPU
  systemctl enable -q $now nvidia-dcgm
}

apt_list() { # <name> <address of its key> <archive>
  local key=/usr/share/keyrings/$1.asc
  curl -fsS -m 60 --retry 5 "$2" | put "$key" 644
  put "$APT/sources.list.d/$1.list" 644 <<<"deb [signed-by=$key] $3"
}

settings() { # `module load openmpi` loads them, and so does `module load cloud-rdma`
  local ports
  ports=$(rdma link show) || true
  {
    echo '#%Module1.0'
    echo "module-whatis {Settings of MPI and NCCL for this machine's network cards}"
    if [[ $ports == *"link irdma"* ]]; then irdma; fi
    if [[ -d /usr/local/gib && $ports == *"link mlx5"* ]]; then plugin_settings /usr/local/gib/lib64 /usr/local/gib/scripts/set_nccl_env.sh; fi
    if [[ -d /var/lib/fastrak ]]; then plugin_settings /var/lib/fastrak/lib64 /var/lib/fastrak/lib64/nccl-env-profile.sh; fi
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

# Google's plugin for NCCL: gIB from its archive, the one for TCPX from the image's maker. Settings are of its release. Source: cluster-toolkit, examples/machine-learning, a3-ultragpu-8g and a3-megagpu-8g
plugin_settings() { # <libraries> <script with the settings>
  echo "setenv NCCL_LIB_DIR $1"
  echo "prepend-path LD_LIBRARY_PATH $1"
  if [[ -e $2 ]]; then echo "source-sh bash $2"; fi
}
