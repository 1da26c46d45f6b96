"""Placement policies: machines close together, or on different hardware."""
