"""A described cluster on this machine: real Slurm, nodes that come and go, a job, faults; nothing left behind."""
