# The client of Azure Managed Lustre.
# shellcheck shell=bash
source common/cloud.env

# Azure's HPC image has it. Source: Azure Managed Lustre, "Install Lustre client software", Ubuntu
lustre_client_of_azure() {
  if ! modinfo lustre >/dev/null 2>&1 || ! command -v mount.lustre >/dev/null; then install_client; fi
  # another kernel at the next boot would be one without the module
  kernel_stays 'linux-azure*' 'linux-image-azure*' 'linux-headers-azure*'
}

install_client() {
  local key=/usr/share/keyrings/hpc-amlfs.asc list=/etc/apt/sources.list.d/hpc-amlfs.list kernel release package
  must_be_in_image_of_redhat
  source common/packages.sh
  kernel=$(uname -r)
  # shellcheck source=/dev/null
  release=$(source /etc/os-release && echo "$VERSION_CODENAME")
  [[ $release == @(jammy|noble) ]] || die "Azure has no Lustre client for $HPC_OS: use os: ubuntu-24.04 or ubuntu-22.04"
  curl -fsS -m 60 --retry 5 "$HPC_LUSTRE_KEY" | put "$key" 644
  # apt reads nothing at all where two lists have other keys for one address: an image may have Azure's own
  if ! grep -rqsF --exclude="${list##*/}" "$HPC_LUSTRE_PACKAGES$release" /etc/apt/sources.list /etc/apt/sources.list.d; then
    put "$list" 644 <<<"deb [signed-by=$key] $HPC_LUSTRE_PACKAGES$release $release main"
  fi
  update
  package=$(client_for "$kernel")
  [[ -n $package ]] ||
    die "no Lustre client for kernel $kernel: Azure has no amlfs-lustre-client for it; use Azure's HPC image, or one with a kernel that it has one for"
  apt_get install --no-install-recommends "$package=$kernel"
}

client_for() { # <kernel>: the newest of the packages that have a version for it
  apt-cache pkgnames amlfs-lustre-client-2 | xargs -r apt-cache madison |
    awk -v kernel="$1" '$3 == kernel { print $1 }' | sort -V | tail -n 1
}
