"""Queues' compute fleets: instance templates, one for each machine type and zone."""
