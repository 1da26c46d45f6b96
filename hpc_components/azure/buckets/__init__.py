"""Buckets: Blob containers for data."""
