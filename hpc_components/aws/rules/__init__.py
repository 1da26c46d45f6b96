"""Rules for AWS."""
