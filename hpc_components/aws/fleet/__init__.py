"""Compute fleets of queues, and their placement groups."""
