# The client of Managed Lustre.
# shellcheck shell=bash
source common/cloud.env

# Source: Managed Lustre, "Connect from Compute Engine". That there are packages for 24.04 is said there, and that
# the modules are only for some kernels; the archive's name for 24.04 follows those of the other releases.
lustre_client_of_google() {
  if ! modinfo lustre >/dev/null 2>&1 || ! command -v mount.lustre >/dev/null; then
    source common/packages.sh
    "client_by_$PACKAGES"
  fi
  # another kernel at the next boot would be one without the module
  kernel_stays 'linux-gcp*' 'linux-image-gcp*' 'linux-headers-gcp*'
}

client_by_apt() {
  local key=/usr/share/keyrings/hpc-lustre.asc list=/etc/apt/sources.list.d/hpc-lustre.list module release
  module=lustre-client-modules-$(uname -r)
  # shellcheck source=/dev/null
  release=$(source /etc/os-release && echo "$VERSION_CODENAME")
  [[ $release == @(jammy|noble) ]] ||
    die "Google Cloud has no Lustre client for $HPC_OS: use os: ubuntu-24.04 or ubuntu-22.04"
  curl -fsS -m 60 --retry 5 "$HPC_LUSTRE_KEY" | put "$key" 644
  # apt reads nothing at all where two lists have other keys for one address: an image may have Google's own
  if ! grep -rqsF --exclude="${list##*/}" "$HPC_LUSTRE_PACKAGES lustre-client-ubuntu-$release" \
    /etc/apt/sources.list /etc/apt/sources.list.d; then
    put "$list" 644 <<<"deb [signed-by=$key] $HPC_LUSTRE_PACKAGES lustre-client-ubuntu-$release main"
  fi
  update
  if ! modinfo lustre >/dev/null 2>&1; then
    known "$module" ||
      die "no Lustre client for kernel $(uname -r): Google has no $module; use an image with a kernel that it has one for"
    install "$module"
  fi
  install lustre-client-utils # mount.lustre; the modules only recommend it
}

client_by_dnf() { # trusted for its address, as in Google's own Cluster Toolkit
  repository hpc-lustre "$HPC_LUSTRE_PACKAGES"
  client_fits "Google" "$(uname -r)"
}
