"""What to do with each node. Pure, except for the counts of boot failures, which the journal stores.

`table` is the decision table as data, `reconcile` finds the row of each node, `unlisted` tracks machines that the
cloud's list lacks, and `boot_failures` finds pools whose machines do not come up.
"""
