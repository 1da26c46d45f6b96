"""Firewall rules of a cluster."""
