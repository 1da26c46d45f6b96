"""The driver for Azure's scale sets and availability sets. Uses no SDK."""
