"""Runs on compute nodes: the watcher, which forwards the cloud's notices to Slurm.

It contacts nothing on the head node except slurmctld.
"""
