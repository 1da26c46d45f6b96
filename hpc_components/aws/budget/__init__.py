"""A cluster's monthly budget."""
