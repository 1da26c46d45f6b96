"""Creates and checks a cluster's monthly budget."""
