"""A described cluster on this machine: real Slurm, nodes that come and go, a job, faults; nothing is left behind.

Four rooms, each importing only those before it:

- `hosts`: hosts made of namespaces, and the sandbox that contains them and removes them when it ends.
- `cluster`: the described cluster on such hosts: its files adapted to this machine, its daemons, its cloud.
- `run`: one rehearsal: its requirements, the job, the fault, the observations, the checks.
- `show`: output for users and programs. It knows the values of `events` and `result`, and no other room.

`events` is what a rehearsal reports while it runs, `result` its outcome; `event_log` turns one into the other.
"""
