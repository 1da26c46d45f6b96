"""The process on the head node: the loop and its cycle, the socket, systemd, and the check of an installation.

It puts the other rooms together. Killed at any point, it goes on after a restart with what the journal, Slurm and the
cloud tell.
"""
