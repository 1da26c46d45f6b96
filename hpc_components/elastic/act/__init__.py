"""Carries out a cycle's actions: launches and terminates machines, and changes node states in Slurm.

`Executor` terminates machines and updates Slurm. `Launcher` writes each launch to the journal and then sends it
through `LaunchCalls`. `actions` carries out every other action in the decision table. Every action adds an event to
the cycle's report. Failed calls don't raise exceptions, because the next cycle sees the same situation and tries
again.
"""
