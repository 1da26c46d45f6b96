"""`hpc-elastic`: nodes come when jobs wait and go when they are idle. Runs on the head node.

A cycle of `daemon` reads Slurm (`slurm`) and the cloud (`drivers`), decides what is to be done with each node
(`decide`), plans launches (`plan`), carries everything out (`act`), remembers what must survive a crash (`journal`)
and tells people (`report`). `node` runs on compute nodes. `programs` are what slurmctld calls, `units` are systemd's.

It imports nothing of the other rooms and, except in the driver of its cloud, nothing but the standard library: it
travels to the nodes as an archive and must run on the Python of any supported system (3.10 and newer).
"""
