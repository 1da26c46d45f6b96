# Slurm built from SchedMD's source, where the description says so: once per machine, or once in its image.
# shellcheck shell=bash
source common/packages.sh

BUILD=/var/cache/hpc-slurm # while it exists, what is installed may be incomplete
BUILD_LOG=/var/log/hpc-slurm-build.log

slurm_source() {
  local version sum addresses
  if ! from_source || slurm_is_built; then return; fi
  read -r version sum addresses <common/slurm_source
  rm -rf $BUILD
  mkdir -p $BUILD
  # shellcheck disable=SC2086 # several addresses
  fetch_source "$sum" $addresses
  tar -xf $BUILD/slurm.tar.bz2 -C $BUILD --no-same-owner
  : >$BUILD_LOG
  cd "$BUILD/slurm-$version" || die "Slurm's source is not that of $version"
  build_slurm
  install_slurm $BUILD/root
  rm -rf $BUILD
}

slurm_is_built() { # of this release; another one is not replaced: the step slurm_release says what to do
  [[ ! -d $BUILD ]] && command -v slurmd >/dev/null
}

fetch_source() { # <SHA-256> <address>...: the first address that has this very file
  local sum=$1 is address is='' said=''
  shift
  for address in "$@"; do
    if ! said=$(curl -fsSL --retry 5 --connect-timeout 20 -o $BUILD/slurm.tar.bz2 "$address" 2>&1); then continue; fi
    is=$(sha256sum <$BUILD/slurm.tar.bz2)
    if [[ ${is%% *} == "$sum" ]]; then return; fi
    said="$address has the SHA-256 ${is%% *}, not $sum: it is not used"
  done
  die "$said; nodes without internet access need images that contain Slurm"
}

# Paths are those of the system's own packages, so that what reads them need not know how Slurm was installed.
build_slurm() { # in the directory of its source
  local libraries
  libraries=$(library_directory)
  logged ./configure --prefix=/usr --libdir="$libraries" --sysconfdir=/etc/slurm --localstatedir=/var \
    --with-systemdsystemunitdir=/usr/lib/systemd/system --enable-multiple-slurmd --enable-pam --with-pam_dir="$libraries/security" \
    --with-munge --with-pmix --with-jwt --with-json --disable-slurmrestd --disable-static --disable-debug \
    CFLAGS='-O2 -g0' SUCMD=/bin/su SLEEP_CMD=/bin/sleep # no test of the machine on which an image is made
  logged make -j "$(nproc)"
  logged make install DESTDIR=$BUILD/root
  logged make -C contribs/pam_slurm_adopt install DESTDIR=$BUILD/root
  logged make -C contribs/pmi2 install DESTDIR=$BUILD/root # Intel MPI's interface to Slurm
  complete "$BUILD/root$libraries"
}

logged() { # <command>...: what it says goes into the log
  local said
  if "$@" >>$BUILD_LOG 2>&1; then return; fi
  said=$(grep -Ei '(\berror|\*\*\*|not found|cannot find)' $BUILD_LOG | tail -n 1 || true)
  die "Slurm: $1 fails: ${said:-see its output} ($BUILD_LOG)"
}

complete() { # <library directory>: configure leaves out what it finds no library for, and only says so in its output
  local name
  for name in auth_munge auth_jwt accounting_storage_mysql cgroup_v2 job_submit_lua mpi_pmix serializer_json task_cgroup; do
    [[ -e $1/slurm/$name.so ]] || die "Slurm was built without $name.so: a library for it is missing ($BUILD_LOG)"
  done
}

install_slurm() { # <root directory>: onto the machine
  find "$1" -name '*.la' -delete
  tar -c -C "$1" . | tar -x -C / --no-same-owner --no-overwrite-dir --keep-directory-symlink
  ldconfig
}
