#!/bin/bash
# The steps of a login node at first boot and after each change of its configuration, in order. Every step may run any
# number of times: if nothing needs to change, it changes and restarts nothing.
source common/run.sh

step login/login.sh no_logins
step common/system.sh supported
step common/system.sh fresh_start
step common/system.sh identity
step common/update.sh updates
step common/system.sh limits
step common/packages.sh package_source
step common/packages.sh packages
step common/slurm_source.sh slurm_source
step common/packages.sh slurm_release
step common/administrators.sh administrators
step common/metadata.sh metadata_fence
together common/names.sh names common/system.sh clock
step common/packages.sh containers
step common/pyxis.sh container_tools
together common/munge.sh munge_key login/login.sh host_keys
step common/ssh.sh ssh_between_nodes
step common/mounts.sh lustre_client
step common/mounts.sh mounts
step login/sessions.sh sessions
step common/fair_use.sh fair_use
step common/fabric.sh fabric
step common/pyxis.sh containers_by_srun
step common/modules.sh modules
step common/software.sh software
step common/eessi.sh eessi_client
together common/data.sh data common/people.sh people common/eessi.sh eessi
step common/processes.sh processes
step login/login.sh slurm_client
step common/bill.sh bill
step common/audit.sh audit
step common/node_metrics.sh node_metrics
step common/scripts.sh own_scripts
step login/login.sh logins
finish
