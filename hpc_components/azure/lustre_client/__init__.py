"""The Lustre client of nodes: packages that Microsoft publishes."""
