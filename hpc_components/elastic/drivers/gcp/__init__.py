"""The driver for Compute Engine. It does not need an SDK, so importing it imports none."""
