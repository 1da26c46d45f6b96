"""Readings of recorded Google Cloud resources for plans; `reader` is the entry point."""
