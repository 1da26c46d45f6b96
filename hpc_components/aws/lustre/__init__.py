"""Parallel file systems: FSx for Lustre, and its links to buckets."""
