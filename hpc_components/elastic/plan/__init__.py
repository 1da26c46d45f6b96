"""Which launches give the waiting jobs their nodes. Pure: values in, values out.

`demand` makes units (nodes that come whole or not at all) of what Slurm waits for, and `planner` makes launch orders
of units. Both may be called any number of times in a cycle.
"""
