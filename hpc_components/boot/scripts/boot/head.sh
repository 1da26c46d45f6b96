#!/bin/bash
# The steps of the head node at first boot and after each change of its configuration, in order. Every step may run
# any number of times: if nothing needs to change, it changes and restarts nothing.
source common/run.sh

step common/system.sh supported
step common/system.sh fresh_start
step common/system.sh identity
step common/update.sh updates
step common/system.sh limits
step head/state.sh state_volume
step common/packages.sh package_source
step common/packages.sh packages
step common/slurm_source.sh slurm_source
step common/packages.sh slurm_release
step common/administrators.sh administrators
step common/metadata.sh metadata_fence
step head/names.sh name_server
together common/names.sh names common/system.sh clock
step common/packages.sh containers
step common/pyxis.sh container_tools
together head/keys.sh munge_key head/keys.sh token_key head/keys.sh host_keys
step common/ssh.sh ssh_between_nodes
step common/mounts.sh lustre_client
step common/mounts.sh mounts
step common/mounts.sh open_lustre
step common/fair_use.sh fair_use
step common/fabric.sh fabric
step common/pyxis.sh containers_by_srun
step common/modules.sh modules
step common/software.sh software
step head/proxy.sh eessi_proxy
step common/eessi.sh eessi_client
together common/eessi.sh eessi common/data.sh data common/people.sh people head/accounting.sh database
step common/processes.sh processes
step head/controller.sh configuration
step head/elastic.sh programs
step head/accounting.sh accounting
step common/bill.sh bill
step head/job_costs.sh mail_program
step head/watch.sh targets
step head/controller.sh controller
step head/elastic.sh elastic
step head/accounting.sh limits_of_users
step common/bill.sh limits_settled
step head/job_costs.sh job_costs
step common/people.sh people_served
step head/quota.sh home_quota
step common/software.sh software_builds
step head/controller.sh nodes_told
step common/audit.sh audit
step head/watch.sh prometheus
step common/scripts.sh own_scripts
finish
