"""Disks of nodes: Persistent Disk and Hyperdisk."""
