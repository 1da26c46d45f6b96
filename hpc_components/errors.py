"""The root of this package's errors."""

__all__ = ["HpcError"]


class HpcError(Exception):
    """What can go wrong in a way that was foreseen. Its text is for a person: the place, the reason, the way out."""
