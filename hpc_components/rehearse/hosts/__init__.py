"""Hosts made of namespaces, and the sandbox that contains them.

`sandbox` calls a function in new namespaces and exchanges messages with it. When the function, the command or an
intermediate process ends for any reason, all of the sandbox's processes, mounts, networks and cgroups are removed
(see `reaper`). Inside the sandbox, `host` boots hosts, each with its own name, address, root file system, processes,
clock and devices. This package doesn't depend on Slurm or clusters.
"""
