"""Plans the launches that provide waiting jobs with nodes. All functions are pure.

`demand` turns Slurm's requests into units (groups of nodes that must be launched all or nothing), and `planner` turns
units into launch orders. Both may be called repeatedly in a cycle.
"""
