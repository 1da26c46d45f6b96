"""What is to be done with each node. Pure, but for the counts of boot failures, which the journal keeps.

`table` is the decision table as data, `reconcile` finds the row in which each node is, `unlisted` keeps the machines
that the cloud's list lacks, and `boot_failures` says which pools have machines that do not come up.
"""
