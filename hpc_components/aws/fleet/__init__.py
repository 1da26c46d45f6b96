"""Queues' compute fleets and placement groups."""
