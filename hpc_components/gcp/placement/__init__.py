"""Placement policies, which put machines close together or on different hardware."""
