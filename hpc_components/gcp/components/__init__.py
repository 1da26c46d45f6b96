"""Helpers shared by the Google Cloud components."""
