# The fast fabric: its driver and libraries, and the MPI built for it.
# shellcheck shell=bash

fabric() {
  local mine mode
  if [[ $HPC_ROLE == image ]]; then
    for mode in $HPC_IMAGE_FABRIC; do install_fabric "$mode"; done
  elif [[ $HPC_ROLE == compute ]]; then
    mine=$(queue fabric)
    if [[ $mine == yes ]]; then install_fabric node; fi
  elif [[ $HPC_FABRIC == yes && $HPC_ROLE == "$HPC_USERS_ON" ]]; then
    install_fabric users
  fi
}
