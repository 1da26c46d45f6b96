#!/bin/bash
# The steps of a node's boot that an image has behind it, in order: those with the same result on all of its nodes. A node
# that boots from the image runs them again, and they find nothing to do. Therefore the test of an image is to run them
# where nothing can be fetched.
source common/run.sh
if [[ $1 == test ]]; then source image/offline.sh; fi

step common/system.sh supported
if [[ $1 == bake ]]; then step image/machine.sh undisturbed; else step image/machine.sh new_machine; fi
step common/packages.sh package_source
step common/packages.sh packages
step common/slurm_source.sh slurm_source
step common/packages.sh slurm_release
step common/packages.sh containers
step image/nvidia.sh nvidia_driver
if [[ -e common/pyxis.sh ]]; then step common/pyxis.sh container_tools; fi
step common/mounts.sh lustre_client
step common/fabric.sh fabric
if [[ -e common/eessi.sh ]]; then step common/eessi.sh eessi_client; fi
if [[ $1 == test ]]; then
  step image/slurm.sh slurm
else
  step common/scripts.sh own_scripts
  finish
  step image/seal.sh seal
fi
