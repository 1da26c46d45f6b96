"""Lustre file systems: Azure Managed Lustre, and its link to a Blob container."""
