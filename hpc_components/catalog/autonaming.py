"""How long names become that Pulumi makes unique."""

__all__ = ["RANDOM_END"]

RANDOM_END = "-0000000"
"""As long as what Pulumi appends to a name on most clouds: a hyphen and seven hexadecimal digits.

Source: Pulumi's documentation, "Autonaming".
"""
