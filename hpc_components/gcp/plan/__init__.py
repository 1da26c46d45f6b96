"""Reads the Google Cloud resources in a plan. `reader` is the entry point."""
