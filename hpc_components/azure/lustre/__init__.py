"""Lustre file systems: Azure Managed Lustre, and its links to Blob containers."""
