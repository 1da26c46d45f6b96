"""Rules for AWS plans."""
