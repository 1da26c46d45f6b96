"""What runs on a compute node: the watcher, which tells Slurm what the cloud announces of the machine's end.

Needs nothing of the head node but slurmctld.
"""
