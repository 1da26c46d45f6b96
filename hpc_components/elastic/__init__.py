"""`hpc-elastic`, the daemon on the head node, which launches nodes when jobs are waiting and terminates idle ones.

Each cycle of `daemon` reads the state of Slurm (`slurm`) and of the cloud (`drivers`), decides what to do with each
node (`decide`), plans launches (`plan`), carries out its decisions (`act`), records what must survive a crash
(`journal`) and reports to operators (`report`). `node` runs on compute nodes, slurmctld calls `programs`, and systemd
runs `units`.

This package imports nothing from the other packages of `hpc_components` and, outside the cloud drivers, only the
standard library. It is copied to the nodes as an archive and must run on every supported system's Python (3.10 or
later).
"""
