"""Service accounts of nodes and jobs, and their permissions."""
