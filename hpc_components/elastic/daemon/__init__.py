"""The process on the head node: its loop and cycle, its socket, its connection to systemd, and the installation
check.

It combines the other packages of `elastic`. It may be killed at any point: after a restart, it resumes from the
journal, Slurm and the cloud.
"""
