"""Disks of nodes: volumes of EBS."""
