"""What runs on a compute node: the watcher, which passes the cloud's notices on to Slurm.

Contacts nothing on the head node but slurmctld.
"""
