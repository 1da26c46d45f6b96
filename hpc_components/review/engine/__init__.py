"""Builds reviews from the output of Pulumi's own engine: previews, event logs and stack states."""
