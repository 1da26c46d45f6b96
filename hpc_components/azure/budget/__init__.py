"""A cluster's budget."""
