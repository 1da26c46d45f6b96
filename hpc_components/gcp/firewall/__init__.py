"""A cluster's firewall rules."""
