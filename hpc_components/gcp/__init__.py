"""Machines, networks and storage of a cluster on Google Cloud, as components for Pulumi."""
