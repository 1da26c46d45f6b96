"""Compute fleets and placement groups for queues."""
