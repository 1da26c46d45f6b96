"""The meaning of recorded AWS resources for a plan; see `reader`."""
