"""Deletion of compute nodes when the cluster is destroyed."""
