"""A described cluster on this machine: real Slurm, nodes that come and go, a job, faults; nothing is left behind.

Four rooms, each importing only those before it:

- `hosts`: hosts made of namespaces, and the sandbox in which they live and with which they go.
- `cluster`: the described cluster on such hosts: its files adapted to this machine, its daemons, its cloud.
- `run`: one rehearsal: what is missing for it, the job, the fault, what is observed, what is checked.
- `show`: a rehearsal shown to people and programs. It knows the values of `events` and `result`, and no other room.

`events` is what a rehearsal reports while it runs, `result` what it comes to; `event_log` turns one into the other.
"""
