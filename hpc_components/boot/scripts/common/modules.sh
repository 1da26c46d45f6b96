# `module load openmpi`, in login shells and in jobs.
# shellcheck shell=bash

OWN=/opt/hpc/modulefiles

modules() {
  openmpi
  module_path
  # A batch script is not a login shell: it reads BASH_ENV. It costs nothing until `module` is called.
  put /etc/hpc/bash_env 644 <<END
if ! declare -F module >/dev/null; then
  module() {
    unset -f module
    # EESSI's modules bring Lmod
    if [[ -r \${LMOD_PKG-}/init/bash ]]; then . "\$LMOD_PKG/init/bash"; else . $MODULES/init/bash; fi
    module "\$@"
  }
fi
END
  environment BASH_ENV /etc/hpc/bash_env
}

module_path() { # with the directories that the description adds. Missing ones are ignored
  put /etc/environment-modules/modulespath 644 <<END
/etc/environment-modules/modules
$MODULES/modulefiles
$OWN$(if [[ -e common/module_directories ]]; then printf '\n' && cat common/module_directories; fi)
END
}

openmpi() {
  local built release
  if compgen -G "$MODULES/modulefiles/openmpi*" >/dev/null; then return; fi # installed with the fabric's software
  built=$(fabric_mpi)
  if [[ -z $built ]]; then built=$(own_module_of_mpi); fi
  if [[ -f $built ]]; then # a module that loads it
    release=$(bash -c 'source "$1"; module load "$2"; mpirun --version' - "$MODULES/init/bash" "$built" | sed -n '1s/.* //p')
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
module-whatis "Open MPI $release, from the system's packages; already on PATH"
conflict openmpi
END
  fi
}
