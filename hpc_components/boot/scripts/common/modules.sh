# `module load openmpi`, in login shells and in jobs.
# shellcheck shell=bash

OWN=/opt/hpc/modulefiles

modules() {
  openmpi
  put /etc/environment-modules/modulespath 644 <<END
/etc/environment-modules/modules
/usr/share/modules/modulefiles
$OWN
END
  # A batch script is no login shell: BASH_ENV is what it reads. It costs nothing until `module` is called.
  put /etc/hpc/bash_env 644 <<'END'
if ! declare -F module >/dev/null; then
  module() {
    unset -f module
    . /usr/share/modules/init/bash
    module "$@"
  }
fi
END
  environment BASH_ENV /etc/hpc/bash_env
}

openmpi() {
  local built release
  if compgen -G '/usr/share/modules/modulefiles/openmpi*' >/dev/null; then return; fi # came with the fabric's software
  built=$(fabric_mpi)
  if [[ -f $built ]]; then # a module that loads it
    release=$(bash -c 'source /usr/share/modules/init/bash; module load "$1"; mpirun --version' - "$built" | sed -n '1s/.* //p')
    put "$OWN/openmpi/$release" 644 <<END
#%Module1.0
module-whatis "Open MPI $release, built for the fast fabric"
conflict openmpi
module load $built
END
  elif [[ -n $built ]]; then
    release=$("$built/bin/mpirun" --version | sed -n '1s/.* //p')
    put "$OWN/openmpi/$release" 644 <<END
#%Module1.0
module-whatis "Open MPI $release, built for the fast fabric"
conflict openmpi
prepend-path PATH $built/bin
prepend-path LD_LIBRARY_PATH $built/lib
END
  elif command -v mpirun >/dev/null; then
    release=$(mpirun --version | sed -n '1s/.* //p')
    put "$OWN/openmpi/$release" 644 <<END
#%Module1.0
module-whatis "Open MPI $release, the system's own: on every PATH already"
conflict openmpi
END
  fi
}
