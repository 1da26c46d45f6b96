# How Red Hat's family gets packages: the system's repositories, EPEL, and one of your own. Steps name packages as
# Debian does; common/redhat_packages has the names here. apt.sh has the same functions.
# shellcheck shell=bash

REPOS=/etc/yum.repos.d
COPY=/var/cache/hpc-packages
ASKED=/opt/hpc/package_source # the package source that this node or its image has

# A repository of rpm packages, with the index created by `createrepo_c .`. Its packages take precedence over the
# system's. It is trusted for its address: https, or a bucket that the node's role may read.
package_source() {
  local address=$HPC_PACKAGE_SOURCE from=$HPC_PACKAGE_SOURCE names
  if [[ -z $address ]]; then
    rm -f $REPOS/hpc.repo $ASKED
    return
  fi
  if [[ $(cat $ASKED 2>/dev/null) == "$address" ]]; then return; fi
  if in_bucket "$address"; then
    names=$(cloud_packages)
    # shellcheck disable=SC2086 # one word per package
    install $names
    from=file://$COPY
  fi
  repository hpc "$from" 'priority=1'
  update
  put $ASKED 644 <<<"$address"
}

update() { # dnf renews the lists of its repositories by itself, but not a copy of a bucket
  if [[ ! -e $REPOS/hpc.repo ]] || ! in_bucket "$HPC_PACKAGE_SOURCE"; then return; fi
  fetch_folder "$HPC_PACKAGE_SOURCE" $COPY
  [[ -e $COPY/repodata/repomd.xml ]] ||
    die "$HPC_PACKAGE_SOURCE: no repodata; create it beside the .rpm files with \`createrepo_c .\`"
}

forget_archives() { dnf -q clean all; } # remove what was fetched of repositories

repository() { # <name> <address> [<line>...]: packages from there, trusted for the address if no line names a key
  local signed=0
  if [[ "${*:3}" == *gpgkey=* ]]; then signed=1; fi
  printf '%s\n' "[$1]" "name=$1, of hpc-boot" "baseurl=$2" enabled=1 gpgcheck=$signed "${@:3}" | put "$REPOS/$1.repo" 644
}

keyed_archive() { # <name> <address> <address of its key>: a vendor's repository
  repository "$1" "$2" $'repo_gpgcheck=1\ngpgkey='"$3"
}

known() { # <package>: whether it is available, or installed
  local names
  names=$(here "$1")
  if [[ -z $names ]]; then return 1; fi
  # shellcheck disable=SC2086
  rpm -q --whatprovides $names >/dev/null 2>&1 || [[ -n $(dnf -q repoquery --whatprovides $names 2>/dev/null) ]]
}

install() { # <package>...
  local need
  need=$(missing "$@")
  if [[ -z $need ]]; then return; fi
  further_repositories
  update
  # shellcheck disable=SC2086 # packages start nothing here: Red Hat's presets leave their services off
  dnf_ install $need
  newer_python
  leave_off slurmd slurmctld slurmdbd mariadb munge
}

# Adds a vendor's repository by the package that the vendor publishes for that, with the repository's key.
vendor_archive() { # <https address>
  dnf_ install "$1"
}

missing() { # <package>...: those that are neither installed nor provided by an installed package, as named here
  local name
  for name in $(here "$@"); do
    rpm -q --quiet --whatprovides "$name" || echo "$name"
  done | sort -u
}

here() { # <package>...: their names here, one per line; nothing for what comes with others
  local name names each
  for name in "$@"; do
    names=$(awk -v name="$name" '$1 == name { $1 = ""; print; found = 1 } END { if (!found) print name }' common/redhat_packages)
    for each in $names; do
      if [[ $each != - ]]; then echo "$each"; fi
    done
  done
}

# Libraries to build with are in CRB, libjwt and boto3 in EPEL. Source: EPEL documentation, "Getting Started"
further_repositories() {
  if [[ -e $RUN/repositories ]]; then return; fi
  rpm -q --quiet epel-release || dnf_ install epel-release
  rpm -q --quiet dnf-plugins-core || dnf_ install dnf-plugins-core
  dnf_ config-manager --set-enabled crb
  touch "$RUN/repositories"
}

# Our programs need Python 3.10, and the system's is 3.9, which stays. boto3 is a package for that one, in plain Python.
newer_python() {
  if [[ ! -x $HPC_PYTHON ]]; then return; fi
  mkdir -p /opt/hpc/python
  ln -sfn "$HPC_PYTHON" /opt/hpc/python/python3
  put "/usr/lib/${HPC_PYTHON##*/}/site-packages/hpc.pth" 644 <<<"/usr/lib/python3.9/site-packages"
}

installed_slurm() { rpm -q --qf '%{version}\n' slurm | head -n 1; } # its version

library_directory() { echo /usr/lib64; }

dnf_() {
  local said try
  for ((try = 0; try < 3; try++)); do
    if said=$(dnf -y -q --setopt=install_weak_deps=False --setopt=retries=5 --setopt=timeout=30 "$@" 2>&1); then
      if [[ -n $said ]]; then echo "$said"; fi
      return
    fi
    sleep $((try * 5))
  done
  echo "$said"
  die "dnf $1 failed three times: $(sed '/^[[:space:]]*$/d' <<<"$said" | tail -n 1); nodes without internet access need" \
    "images that contain their packages"
}

leave_off() { # <unit>...: disable units until their step enables them, except those that run already
  local unit
  for unit in "$@"; do
    if ! systemctl is-active -q "$unit"; then systemctl disable -q --no-reload "$unit" 2>/dev/null || true; fi
  done
}

# Install the Lustre client of a repository whose modules are for the kernels of one release of the system.
client_fits() { # <publisher> <kernel>
  kernel_stays # the client must not bring another one
  install kmod-lustre-client lustre-client
  modinfo lustre >/dev/null 2>&1 ||
    die "no Lustre client for kernel $2: the modules of $1's packages are for others; use an image with a kernel of these"
}
