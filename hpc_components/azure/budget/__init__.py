"""The budget of a cluster."""
