"""What a cycle does: launches machines, ends them, and changes the states of nodes in Slurm.

`Executor` ends machines and updates Slurm; `Launcher` sends launches through `LaunchCalls` and writes each into the
journal first; `actions` carries out every other action of the decision table. Whatever is done becomes an event of
the cycle's report. A call that fails is no exception for the caller: the next cycle sees the same and repeats it.
"""
