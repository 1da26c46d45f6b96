"""Hosts made of namespaces, and the sandbox that contains them.

`sandbox` calls a function in new namespaces and passes messages in both directions. When the function, the command or
a process between them ends, for whatever reason, all of the sandbox's processes, mounts, networks and cgroups are
removed (see `reaper`). Inside, `host` boots hosts. Each has its own name, address, root file system, processes, clock
and devices. Nothing in this package depends on Slurm or clusters.
"""
