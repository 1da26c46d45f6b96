"""Secrets that nodes share."""
