# The client of Azure Managed Lustre.
# shellcheck shell=bash
source common/cloud.env

# Azure's HPC images have it. Source: Azure Managed Lustre, "Install Lustre client software"
lustre_client_of_azure() {
  if ! modinfo lustre >/dev/null 2>&1 || ! command -v mount.lustre >/dev/null; then
    source common/packages.sh
    "client_by_$PACKAGES"
  fi
  # another kernel at the next boot would be one without the module
  kernel_stays 'linux-azure*' 'linux-image-azure*' 'linux-headers-azure*'
}

client_by_apt() {
  local key=/usr/share/keyrings/hpc-amlfs.asc list=/etc/apt/sources.list.d/hpc-amlfs.list kernel release package
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
  package=$(apt-cache pkgnames amlfs-lustre-client-2 | xargs -r apt-cache madison | awk '{ print $1, $3 }' | client_for "$kernel")
  [[ -n $package ]] || no_client
  apt_get install --no-install-recommends "$package=$kernel"
}

client_by_dnf() {
  local kernel package version
  kernel=$(uname -r)
  version=${kernel%".$(uname -m)"} # the packages' versions are those of kernels, with dots alone
  version=${version//[-_]/.}
  repository hpc-lustre "$HPC_LUSTRE_PACKAGES" "gpgkey=$HPC_LUSTRE_KEY"
  package=$(dnf -q repoquery --qf '%{name} %{version}' 'amlfs-lustre-client-2*' | client_for "$version")
  [[ -n $package ]] || no_client
  kernel_stays # the client must not bring another one
  dnf_ install "$package-$version"
}

client_for() { # <version>: the newest of the packages on stdin (name, version) that has a version for the kernel
  awk -v version="$1" '$2 == version { print $1 }' | sort -V | tail -n 1
}

no_client() {
  die "no Lustre client for kernel $(uname -r): Azure has no amlfs-lustre-client for it; use Azure's HPC image, or one with a kernel that it has one for"
}
