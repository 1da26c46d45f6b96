RANDOM_SUFFIX = "-0000000"
"""Placeholder with the length of the suffix that Pulumi appends on most clouds: a hyphen and seven hex digits.

Source: Pulumi's documentation, "Autonaming".
"""
