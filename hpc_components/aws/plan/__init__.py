"""Interprets the AWS resources recorded in a plan; see `reader`."""
