"""A cluster's security groups and their rules."""
