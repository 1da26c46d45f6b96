"""Deletes compute nodes when the cluster is destroyed."""
