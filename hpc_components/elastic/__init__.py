"""`hpc-elastic`, the daemon on the head node: launches nodes when jobs wait and ends idle ones.

A cycle of `daemon` reads Slurm (`slurm`) and the cloud (`drivers`), decides what to do with each node (`decide`),
plans launches (`plan`), carries everything out (`act`), records what must survive a crash (`journal`) and reports to
operators (`report`). `node` runs on compute nodes; `programs` are called by slurmctld, `units` by systemd.

Imports nothing from the other rooms and, except in the cloud's driver, only the standard library: it travels to the
nodes as an archive and must run on the Python of any supported system (3.10 and newer).
"""
