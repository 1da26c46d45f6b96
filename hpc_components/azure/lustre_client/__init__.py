"""The nodes' Lustre client, from packages that Microsoft publishes."""
