"""Fleets of compute nodes: scale sets, availability sets and placement groups of a queue."""
