"""Comparison of two plans of a stack: what changes, what it means for jobs, users and data, and what it costs."""
