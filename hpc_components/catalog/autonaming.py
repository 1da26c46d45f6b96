"""Defines a stand-in for the suffix that Pulumi appends to make names unique."""

RANDOM_SUFFIX = "-0000000"
"""Placeholder of the same length as the suffix that Pulumi appends on most clouds: a hyphen and seven hex digits.

Source: Pulumi's documentation, "Autonaming".
"""
