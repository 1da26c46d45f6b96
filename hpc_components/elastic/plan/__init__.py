"""Which launches give the waiting jobs their nodes. Pure: values in, values out.

`demand` turns Slurm's requests into units (nodes that come all or none), and `planner` turns units into launch
orders. Both may be called any number of times in a cycle.
"""
