"""Compares two plans of a stack: what changes, what that means for jobs, users and data, and what it costs."""
