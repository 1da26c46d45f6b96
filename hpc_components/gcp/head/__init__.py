"""The head node and its permissions to launch nodes."""
