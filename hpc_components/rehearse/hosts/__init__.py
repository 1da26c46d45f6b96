"""Hosts made of namespaces, and the sandbox that contains them.

`sandbox` calls a function in new namespaces and passes messages both ways. Whatever ends the function, the command or
a process between them, every process, mount, network and cgroup of the sandbox is removed (`reaper`). Inside, `host`
boots hosts: each has its own name, address, root file system, processes, clock and devices. Nothing in this room
knows about Slurm or clusters.
"""
