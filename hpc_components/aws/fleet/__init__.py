"""Queues' compute fleets, and their placement groups."""
