"""The head node, and what is kept when it is replaced."""
