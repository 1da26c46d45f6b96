"""The monthly budget of a cluster."""
