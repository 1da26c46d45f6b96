"""Checks of a node's health, at its boot, around jobs and while it is idle."""
