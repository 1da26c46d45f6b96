"""Buckets: Blob containers for data, and the container that holds a cluster's configuration."""
