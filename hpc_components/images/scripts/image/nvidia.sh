# NVIDIA's driver, for images whose base has none.
# shellcheck shell=bash
source common/packages.sh

# Compiled for this kernel: Ubuntu's compiled modules fit only the version of the driver that was the newest when the
# kernel was released, and the archive has only today's. Source: Ubuntu's archive, noble-updates,
# linux-modules-nvidia-580-server-open-6.17.0-1020-aws
nvidia_driver() {
  local branch=$HPC_IMAGE_NVIDIA kernel kind
  if [[ -z $branch ]]; then return; fi
  kernel=$(uname -r)
  kind=${kernel##*-}
  install "linux-headers-$kernel" "nvidia-dkms-$branch-server-open" "nvidia-headless-no-dkms-$branch-server-open" \
    "nvidia-utils-$branch-server" "nvidia-fabricmanager-$branch" "libnvidia-nscq-$branch"
  modinfo -F version -k "$kernel" nvidia || die "NVIDIA's driver was not compiled for kernel $kernel: see /var/lib/dkms/nvidia"
  kernel_stays "linux-$kind*" "linux-image-$kind*" "linux-headers-$kind*"
  leave_off nvidia-fabricmanager # a node starts it if its GPUs need it
}
