"""The driver for Azure's scale sets and availability sets. It does not need an SDK, so importing it imports none."""
