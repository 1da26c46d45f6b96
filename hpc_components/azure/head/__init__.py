"""The head node, and the resources that are kept when it is replaced."""
