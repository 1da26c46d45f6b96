"""The resource group of the compute nodes, whose deletion deletes them."""
