"""`hpc-health`: checks whether a node is healthy, and drains it if it is not."""
