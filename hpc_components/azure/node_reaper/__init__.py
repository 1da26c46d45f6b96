"""The compute nodes' resource group. Deleting the group deletes the nodes."""
