"""Length of the suffix with which Pulumi makes names unique."""

RANDOM_SUFFIX = "-0000000"
"""Placeholder as long as the suffix that Pulumi appends on most clouds: a hyphen and seven hexadecimal digits.

Source: Pulumi's documentation, "Autonaming".
"""
