"""The node reaper, which terminates a cluster's compute nodes when the cluster is destroyed."""
