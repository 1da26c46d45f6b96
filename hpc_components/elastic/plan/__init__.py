"""Plans the launches that give waiting jobs their nodes. Pure functions: values in, values out.

`demand` turns Slurm's requests into units (nodes that get machines all or none), and `planner` turns units into
launch orders. Both may be called any number of times in a cycle.
"""
