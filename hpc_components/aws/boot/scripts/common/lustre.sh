# The Lustre client of FSx for Lustre.
# shellcheck shell=bash
source common/cloud.env

# Source: FSx for Lustre user guide, "Installing the Lustre client"
lustre_client_of_fsx() {
  if ! modinfo lustre >/dev/null 2>&1 || ! command -v mount.lustre >/dev/null; then
    source common/packages.sh
    "client_by_$PACKAGES"
  fi
  # another kernel at the next boot would be one without the module
  kernel_stays linux-aws linux-image-aws linux-headers-aws
}

client_by_apt() { # the section on Ubuntu
  local key=/usr/share/keyrings/fsx-lustre.asc list=/etc/apt/sources.list.d/fsx-lustre.list module release
  module=lustre-client-modules-$(uname -r)
  # shellcheck source=/dev/null
  release=$(source /etc/os-release && echo "$VERSION_CODENAME")
  curl -fsS -m 60 --retry 5 "$HPC_LUSTRE_KEY" | put "$key" 644
  # apt reads nothing at all where two lists have other keys for one address: an image may have AWS's own
  if ! grep -rqsF --exclude="${list##*/}" "$HPC_LUSTRE_PACKAGES" /etc/apt/sources.list /etc/apt/sources.list.d; then
    put "$list" 644 <<<"deb [signed-by=$key] $HPC_LUSTRE_PACKAGES $release main"
  fi
  update
  if ! modinfo lustre >/dev/null 2>&1; then
    known "$module" ||
      die "no Lustre client for kernel $(uname -r): AWS has no $module; use an image with a kernel that it has one for"
    install "$module"
  fi
  install lustre-client-utils # mount.lustre; the modules only recommend it
}

# The section on Red Hat and Rocky Linux 9: a repository for each release, whose packages have the modules for its kernels
client_by_dnf() {
  local kernel release
  kernel=$(uname -r)
  release=$(sed -nE 's/.*\.el([0-9]+)_([0-9]+)\..*/\1.\2/p' <<<"$kernel")
  [[ -n $release ]] || die "no Lustre client for kernel $kernel: it is not one of the system's own, which AWS has clients for"
  repository hpc-lustre "$HPC_LUSTRE_PACKAGES/$release/\$basearch" "gpgkey=$HPC_LUSTRE_KEY"
  client_fits "AWS" "$kernel"
}
