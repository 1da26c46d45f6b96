"""The acceptance test of a running cluster: `hpc accept` proves it from the laptop, and writes a report.

`plan.py` says what is tested and what it may cost; `checks/` are the tests, most of them parts of one job for each
queue; `cluster.py` is all that a test may do to a cluster, over ssh or in a rehearsal; `run.py` runs the plan, and
cleans up; `show/` writes the report.
"""
