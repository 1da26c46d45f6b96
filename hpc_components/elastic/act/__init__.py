"""The actions of a cycle: launch machines, end them, and change the states of nodes in Slurm.

`Executor` ends machines and updates Slurm; `Launcher` sends launches through `LaunchCalls` after writing each to the
journal; `actions` carries out every other action of the decision table. Every action becomes an event of the cycle's
report. A failed call raises nothing: the next cycle sees the same situation and repeats it.
"""
