# Slurm's files, on head and login nodes.
# shellcheck shell=bash

slurm_files() {
  local path name
  rm -f /etc/slurm/plugstack.conf # Debian's includes files by a pattern, which Slurm itself rejects
  for path in common/slurm/*; do
    put "/etc/slurm/${path##*/}" 644 <"$path"
  done
  for path in /etc/slurm/{slurm,gres,cgroup,topology}.conf /etc/slurm/topology.yaml /etc/slurm/hpc-job-{prolog,epilog}; do
    name=${path##*/}
    if [[ ! -e common/slurm/$name ]]; then rm -f "$path"; fi
  done
}
