"""Rehearses a described cluster on this machine, with real Slurm, elastic nodes, a job and faults.

Everything that a rehearsal creates is removed when it ends.

There are four packages. Each imports only the packages listed before it:

- `hosts`: hosts made of namespaces, in a sandbox that removes them when it ends.
- `cluster`: the described cluster on these hosts, with adapted files, daemons and a local cloud.
- `run`: a single rehearsal, with its requirements, job, fault, observations and checks.
- `show`: output for users and programs. This package depends on `events` and `result`, but on none of the other
  packages.

`events` defines what a rehearsal reports while it runs, and `result` defines its outcome. `event_log` derives the
outcome from the events.
"""
