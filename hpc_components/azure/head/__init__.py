"""The head node, and everything that is kept when it is replaced."""
