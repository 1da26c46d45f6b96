# slurmctld, which all others look for at the head node's fixed address.
# shellcheck shell=bash

configuration() {
  source common/slurm.sh
  slurm_files
  if [[ -e head/slurm/job_submit.lua ]]; then
    put /etc/slurm/job_submit.lua 644 <head/slurm/job_submit.lua
  else
    rm -f /etc/slurm/job_submit.lua
  fi
  install -d -o slurm -g slurm -m 755 /var/log/slurm
  install -d -o slurm -g slurm -m 700 /var/lib/hpc/slurmctld
}

controller() {
  local unit=/etc/systemd/system/slurmctld.service.d/hpc.conf
  put "$unit" 644 < <(cat head/units/slurm.conf && printf '\n[Unit]\nAfter=slurmdbd.service\n')
  # A restart, because 22.05 ends when a reconfiguration changes its nodes; jobs and nodes do not notice it.
  running slurmctld /etc/slurm/{slurm,gres,cgroup,topology}.conf /etc/slurm/job_submit.lua "$unit"
  answers scontrol ping || die "slurmctld: $(why slurmctld)"
  # nodes have their configuration from here, and take a new one only when they are told
  if [[ $RESTARTED == yes ]]; then scontrol reconfigure; fi
}
