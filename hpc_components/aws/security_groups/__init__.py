"""Security groups of a cluster, and their rules."""
