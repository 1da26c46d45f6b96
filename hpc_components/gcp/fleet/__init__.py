"""Compute fleets of queues: instance templates, one for each machine type and zone."""
