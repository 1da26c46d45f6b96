"""Knows for which systems Google's Lustre client is available, and checks that nodes can use it."""
