"""Buckets for data, in Cloud Storage."""
