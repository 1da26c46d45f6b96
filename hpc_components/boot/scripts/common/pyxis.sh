# Containers by `srun --container-image`: Enroot, and its plugin for Slurm, Pyxis. docs/software.md
# shellcheck shell=bash
source common/packages.sh
# shellcheck source=/dev/null
if [[ -e common/pyxis.env ]]; then source common/pyxis.env; fi

CONTAINER_BUILD=/var/cache/hpc-containers # while it exists, what is installed may be incomplete
CONTAINER_LOG=/var/log/hpc-containers-build.log
BUILT_FOR=/opt/hpc/pyxis # the commit and the release of Slurm for which the plugin was built
ENROOT_SETTINGS=/etc/enroot/enroot.conf.d/hpc.conf
PROFILE=/etc/apparmor.d/enroot

container_tools() { # may be part of an image
  if [[ ! -e common/pyxis.env ]]; then return; fi
  if serves compute || for_users; then
    enroot
    gpu_tools
  fi
  plugin # also where users run no containers: sbatch and srun read its options
}

# What Enroot needs to run, and to be built. Source: NVIDIA/enroot, doc/installation.md and pkg/deb/control
ENROOT_NEEDS=(curl gawk jq parallel squashfs-tools zstd bsdextrautils pigz libcap2-bin git gcc make patch)

enroot() {
  local at=$CONTAINER_BUILD/enroot
  if [[ ! -d $CONTAINER_BUILD && $(enroot_release) == "$HPC_ENROOT_VERSION" ]]; then return; fi
  install "${ENROOT_NEEDS[@]}"
  fetch_commit "$at" "$HPC_ENROOT_REPOSITORY" "$HPC_ENROOT_COMMIT"
  # its parts are named by their commits too; git:// is a port that many networks close
  git -c "url.$HPC_MUSL_HTTPS.insteadOf=$HPC_MUSL_GIT" -C "$at" submodule --quiet update --init --depth 1 ||
    die "Enroot: its parts can't be fetched; nodes without internet access need images that contain it"
  make_in "$at" -j "$(nproc)" "${ENROOT_PATHS[@]}" all
  make_in "$at" "${ENROOT_PATHS[@]}" install setcap
  rm -rf $CONTAINER_BUILD
}

ENROOT_PATHS=(prefix= exec_prefix=/usr datarootdir=/usr/share) # as in its packages

enroot_release() { sed -n 's/^export ENROOT_VERSION="\(.*\)"$/\1/p' /usr/bin/enroot 2>/dev/null || true; }

# Slurm accepts only a plugin that was built for its release. Source: NVIDIA/pyxis, README.md, "Installation"
plugin() {
  local at=$CONTAINER_BUILD/pyxis wanted release
  release=$(slurm_here)
  wanted="$HPC_PYXIS_COMMIT $release"
  # required: if the plugin were optional, a job whose container does not start would run outside of it
  put "$HPC_PLUGSTACK" 644 <<<"required $HPC_PYXIS_PLUGIN runtime_path=$HPC_PYXIS_CONTAINERS"
  if [[ -e $HPC_PYXIS_PLUGIN && $(cat $BUILT_FOR 2>/dev/null) == "$wanted" ]]; then return; fi
  install git gcc make
  if ! from_source; then # what is built brings the header
    # shellcheck disable=SC2046
    install $(own_names libslurm-dev)
  fi
  fetch_commit "$at" "$HPC_PYXIS_REPOSITORY" "$HPC_PYXIS_COMMIT"
  make_in "$at"
  put "$HPC_PYXIS_PLUGIN" 644 <"$at/spank_pyxis.so"
  put $BUILT_FOR 644 <<<"$wanted"
  rm -rf $CONTAINER_BUILD
}

fetch_commit() { # <folder> <repository> <commit>: the commit's id is the checksum of all its files
  rm -rf "$1"
  git init -q "$1"
  git -C "$1" fetch -q --depth 1 "$2" "$3" ||
    die "$2: can't be fetched; nodes without internet access need images that contain Enroot and Pyxis"
  git -C "$1" checkout -q "$3"
}

make_in() { # <folder> <argument>...: what it says goes into the log
  local said
  if make -C "$@" >>$CONTAINER_LOG 2>&1; then return; fi
  said=$(grep -Ei '(\berror|\*\*\*|not found)' $CONTAINER_LOG | tail -n 1 || true)
  die "${1##*/} can't be built: ${said:-see its output} ($CONTAINER_LOG)"
}

# With NVIDIA's driver, Enroot brings GPUs into containers by this program. Many images with the driver contain it.
gpu_tools() {
  if ! command -v nvidia-smi >/dev/null || command -v nvidia-container-cli >/dev/null; then return; fi
  known libnvidia-container-tools || keyed_archive hpc-gpu-containers "$HPC_GPU_TOOLS_ARCHIVE" "$HPC_GPU_TOOLS_KEY"
  install libnvidia-container-tools
}

containers_by_srun() { # settings of this node
  if [[ ! -e common/pyxis.env ]]; then
    rm -f $ENROOT_SETTINGS
    return
  fi
  if ! serves compute && ! for_users; then return; fi
  may_make_namespaces
  # otherwise MPI and PyTorch in a container would not know of Slurm. Source: NVIDIA/enroot, doc/standard-hooks.md
  ln -sfn /usr/share/enroot/hooks.d/50-slurm-{pmi,pytorch}.sh /etc/enroot/hooks.d/
  if [[ $HPC_ROLE == compute ]]; then
    containers_directory
    settings_of_jobs | put $ENROOT_SETTINGS 644
  fi
}

may_make_namespaces() { # Ubuntu 24.04 lets only programs with a profile. Source: NVIDIA/enroot, doc/requirements.md
  if [[ ! -e /etc/apparmor.d/abi/4.0 ]]; then return; fi
  if [[ ! -e $PROFILE ]]; then put $PROFILE 644 </usr/share/enroot/apparmor.profile; fi
  if [[ -e /sys/kernel/security/apparmor/profiles ]]; then apparmor_parser -r $PROFILE; fi
}

containers_directory() { # on the machine's own disks, if the queue uses them
  local scratch
  scratch=$(queue local_scratch)
  if [[ $scratch == - ]]; then
    command install -d -m 755 "$HPC_PYXIS_CONTAINERS"
  else
    command install -d -m 755 "$scratch/.containers"
    ln -sfn "$scratch/.containers" "$HPC_PYXIS_CONTAINERS"
  fi
}

# Pyxis makes a directory for each user of containers, as root; no user can have made it. In a job that calls
# Enroot by itself, there may be none: containers are in the home directory then.
settings_of_jobs() {
  local name own=$HPC_PYXIS_CONTAINERS/\$UID other
  for name in cache data runtime temp; do
    other="\$HOME/.local/share/enroot-$name"
    if [[ $name == temp ]]; then other="\${TMPDIR:-/tmp}"; fi
    echo "ENROOT_${name^^}_PATH \$(if [[ -O $own ]]; then d=$own/$name; else d=$other; fi; mkdir -p -m 700 \"\$d\"; echo \"\$d\")"
  done
}
