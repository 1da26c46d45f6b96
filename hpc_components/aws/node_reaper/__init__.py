"""The node reaper, which terminates the compute nodes when a cluster is destroyed."""
