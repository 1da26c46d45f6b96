"""The head node, and the permissions with which it launches nodes."""
