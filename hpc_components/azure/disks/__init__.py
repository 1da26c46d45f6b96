"""Disks of nodes: managed disks, and root disks on the local disks of machines."""
