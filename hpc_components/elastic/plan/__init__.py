"""Plans the launches that give waiting jobs their nodes. All functions are pure.

`demand` turns Slurm's requests into units (nodes that get machines either all or not at all), and `planner` turns
units into launch orders. Both may be called any number of times in a cycle.
"""
