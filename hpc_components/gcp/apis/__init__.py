"""Enables the Google APIs that a cluster needs."""
