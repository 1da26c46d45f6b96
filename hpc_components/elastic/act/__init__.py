"""Carries out a cycle's actions: launches and terminates machines, and changes node states in Slurm.

`Executor` terminates machines and updates Slurm. `Launcher` writes each launch to the journal and then sends it
through `LaunchCalls`. `actions` carries out every other action of the decision table. Every action adds an event to
the cycle's report. A failed call does not raise an exception, because the next cycle finds the same situation and
tries again.
"""
