"""A network of the cluster's own, and an existing one."""
