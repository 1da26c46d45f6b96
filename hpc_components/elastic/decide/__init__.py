"""Decides what to do with each node. Has no side effects, except that boot-failure counts are stored in the journal.

`table` is the decision table as data, `reconcile` finds each node's row in it, `unlisted` tracks machines that are
missing from the cloud's list, and `boot_failures` finds pools whose machines fail to boot.
"""
