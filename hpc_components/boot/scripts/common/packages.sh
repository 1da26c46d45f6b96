# Packages, including Slurm's: which ones a node needs. Those already installed in the image are not fetched.
# shellcheck shell=bash
# shellcheck source=common/apt.sh
source "common/$PACKAGES.sh"
source common/software.sh

serves() { # <role>: whether this node has the role, or this image is for nodes that have it
  [[ " ${HPC_IMAGE_ROLES:-$HPC_ROLE} " == *" $1 "* ]]
}

in_image() { [[ $HPC_ROLE == image ]]; } # its packages suffice for any directory, mounts and scratch of its nodes

wanted() { # the packages of this node, or of all nodes of this image, one per line
  local slurm=(slurm-client slurm-wlm-basic-plugins)
  if serves head; then
    slurm+=(slurmctld slurm-wlm-jwt-plugin)
    if in_image || [[ -e head/directory.json ]]; then echo python3-ldap; fi
    if [[ $HPC_ACCOUNTING != none ]]; then slurm+=(slurmdbd slurm-wlm-mysql-plugin); fi
    if [[ $HPC_ACCOUNTING == local ]]; then echo mariadb-server; fi
  fi
  if serves compute; then
    slurm+=(slurmd libpam-slurm-adopt)
    if in_image || [[ $(queue local_scratch) != - ]]; then echo lvm2; fi
  fi
  printf '%s\n' chrony curl munge nftables openssl sudo environment-modules dnsmasq-base
  cloud_packages
  if [[ $HPC_OS != ubuntu-22.04 ]]; then echo systemd-resolved; fi # there it is part of systemd
  if from_source; then printf '%s\n' "${SLURM_NEEDS[@]}"; else own_names "${slurm[@]}"; fi
  if [[ ${HPC_PYTHON-} == */python3.* ]]; then echo "${HPC_PYTHON##*/}"; fi
  if [[ $HPC_PEOPLE == yes ]]; then echo libnss-extrausers; fi
  if [[ $HPC_MONITORING == yes ]]; then
    echo prometheus-node-exporter
    if serves head; then printf '%s\n' prometheus prometheus-alertmanager; fi
  fi
  if in_image || grep -q '"type": "nfs"' common/mounts.json; then echo nfs-common; fi
  # MpiDefault=pmix is loaded by slurmctld too, and needs libpmix.so, which only the development package contains.
  echo libpmix-dev
  if serves compute || for_users; then
    printf '%s\n' openmpi-bin python3-mpi4py
    # Intel MPI's interface to Slurm
    if known libpmi2-0t64; then echo libpmi2-0t64; elif ! from_source; then own_names libpmi2-0; fi
  fi
  software_packages
  if for_users; then
    # a session without it has no control group, and so no limits
    printf '%s\n' build-essential gfortran libpam-systemd
    # the fabric's software includes its own MPI, which conflicts with these headers
    if [[ $HPC_FABRIC == no ]]; then echo libopenmpi-dev; fi
  fi
}

from_source() { [[ -e common/slurm_source ]]; } # whether Slurm is built here

# To build Slurm, and to run it. Source: Slurm's own source, debian/control and slurm.spec
SLURM_NEEDS=(gcc make bzip2 pkg-config perl libmunge-dev libdbus-1-dev libhwloc-dev libnuma-dev libjson-c-dev libjwt-dev
  libpam0g-dev liblua5.4-dev libreadline-dev libmariadb-dev liblz4-dev zlib1g-dev libssl-dev)

for_users() { serves "$HPC_USERS_ON"; } # whether users log in here to compile and submit

own_names() { # <package>...: their names in Slurm's package source: SchedMD's own packaging uses other names
  if ! known slurm-smd; then
    printf '%s\n' "$@"
    return
  fi
  local name
  for name in "$@"; do
    case $name in
      slurm-wlm-*) echo slurm-smd ;; # all plugins
      slurm-client) echo slurm-smd-client ;;
      libslurm-dev) echo slurm-smd-dev ;;
      *) echo "slurm-smd-$name" ;;
    esac
  done
}

packages() {
  local names
  service_user slurm 64030 # Debian's; SchedMD's packages and source create no user
  service_user munge 402 # the id in ParallelCluster
  names=$(wanted)
  # shellcheck disable=SC2086 # one word per package
  install $names
  if from_source; then http_parser; fi
}

# Without it, Slurm 25.11 is built without its metrics over HTTP, and slurmctld logs an error for that whenever it starts.
# Source: Slurm's source 25.11.7, auxdir/x_ac_http_parser.m4, src/common/http_switch.c
http_parser() {
  if known libhttp-parser-dev; then install libhttp-parser-dev; fi
}

service_user() { # <name> <uid>: create the user before its package does, which would take the next free uid
  if getent passwd "$1" >/dev/null || getent passwd "$2" >/dev/null; then return; fi
  useradd --system --uid "$2" --user-group --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin "$1"
}

containers() { # if the system has a package for them; as of 2026 only Ubuntu 24.04 does (SingularityCE)
  local name
  if ! serves compute && ! for_users; then return; fi
  if command -v apptainer || command -v singularity; then return; fi
  for name in apptainer singularity-container; do
    if known "$name"; then
      install "$name"
      return
    fi
  done
  echo "no Apptainer: $HPC_OS has no package for it; add one to slurm.package_source, or use an image that contains it"
}

slurm_here() { # the installed release, e.g. 25.11.8
  # what is built has all daemons, and only these tell their version without a slurm.conf
  if from_source; then slurmd -V | sed 's/.* //'; else installed_slurm; fi
}

slurm_release() {
  local is
  is=$(slurm_here)
  [[ $is == "$HPC_SLURM".* ]] || die "Slurm $is is installed, and the cluster's slurm.version is $HPC_SLURM:" \
    "upgrade its packages, or replace this node (pulumi up --replace <urn>)"
}
