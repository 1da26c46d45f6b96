"""Compute node fleets: a queue's scale sets, availability sets and placement groups."""
