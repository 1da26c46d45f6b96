"""Hosts made of namespaces, and the sandbox in which they live.

`sandbox` calls a function in namespaces of its own and passes messages both ways. Whatever ends the function, the
command or a process between them, every process, mount, network and cgroup of the sandbox goes with it (`reaper`).
In there, `host` boots hosts: each has its own name, address, root file system, processes, clock and devices. Nothing
in this room knows of Slurm or of a cluster.
"""
