"""The nodes' Lustre client, installed from packages that Microsoft publishes."""
