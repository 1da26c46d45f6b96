"""Length of the suffix with which Pulumi makes names unique."""

RANDOM_END = "-0000000"
"""Placeholder of the length of Pulumi's suffix on most clouds: a hyphen and seven hexadecimal digits.

Source: Pulumi's documentation, "Autonaming".
"""
