"""The process on the head node: main loop, cycle, control socket, connection to systemd, and installation check.

The daemon combines the other packages of `elastic`. It can be killed at any point: after a restart, it resumes from
the journal and from the state of Slurm and the cloud.
"""
