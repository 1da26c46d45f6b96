"""Parallel file systems: Managed Lustre, and its transfers from and to Cloud Storage."""
