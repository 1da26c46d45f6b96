"""Buckets: Blob containers for data, and the container of a cluster's configuration."""
