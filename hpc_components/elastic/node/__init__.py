"""Contains the watcher, which runs on compute nodes and forwards the cloud's notices to Slurm.

On the head node, the watcher contacts only slurmctld.
"""
