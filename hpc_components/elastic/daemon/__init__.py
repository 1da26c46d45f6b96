"""The process on the head node: the loop and its cycle, the socket, systemd, and the check of an installation.

It combines the other rooms. Killed at any point, it resumes after a restart from the journal, Slurm and the cloud.
"""
