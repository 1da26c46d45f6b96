#!/bin/bash
# The steps of a compute node's first boot, in order. slurmd comes last: a node on which a step fails never joins
# the cluster; it logs the reason and shuts itself down. `names` restarts the resolver, so beside it no step may look up
# a name.
source common/run.sh

step common/system.sh supported
step common/system.sh fresh_start
step common/system.sh identity
step common/system.sh limits
step compute/machine.sh processors
step compute/machine.sh gpus
step common/packages.sh package_source
step common/packages.sh packages
step common/slurm_source.sh slurm_source
step common/packages.sh slurm_release
step common/administrators.sh administrators
step common/metadata.sh metadata_fence
together common/names.sh names common/system.sh clock
step common/packages.sh containers
step common/pyxis.sh container_tools
step compute/machine.sh local_scratch
step common/mounts.sh lustre_client
step common/mounts.sh mounts
step common/fabric.sh fabric
step common/nccl.sh nccl
step common/pyxis.sh containers_by_srun
step common/modules.sh modules
step common/software.sh software
step common/eessi.sh eessi_client
together common/munge.sh munge_key common/data.sh data common/people.sh people common/eessi.sh eessi \
  compute/slurmd.sh watch compute/slurmd.sh logins_with_jobs_only common/node_metrics.sh node_metrics
step common/processes.sh processes
step common/ssh.sh ssh_between_nodes
step common/audit.sh audit
step common/scripts.sh own_scripts
step compute/health.sh health
step compute/slurmd.sh slurmd
finish
