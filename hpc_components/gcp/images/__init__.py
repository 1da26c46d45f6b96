"""Chooses and checks nodes' machine images."""
