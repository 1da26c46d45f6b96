"""The driver for Compute Engine, which needs no SDK."""
