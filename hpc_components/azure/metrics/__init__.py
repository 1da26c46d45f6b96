"""The Azure Monitor workspace to which the head node sends metrics."""
