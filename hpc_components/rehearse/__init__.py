"""Rehearses a described cluster on this machine, with real Slurm, elastic nodes, a job and faults.

Leaves nothing behind.

There are four packages. Each imports only those listed before it:

- `hosts`: hosts made of namespaces, and the sandbox that contains them and removes them when it ends.
- `cluster`: the described cluster on these hosts: its files adapted to this machine, its daemons and its cloud.
- `run`: one rehearsal: its requirements, job, fault, observations and checks.
- `show`: output for users and programs. It uses the values of `events` and `result`, but no other package.

`events` defines what a rehearsal reports while it runs, and `result` its outcome; `event_log` turns the events into
the outcome.
"""
