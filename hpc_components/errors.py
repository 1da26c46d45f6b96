"""Defines the base class of this package's errors."""

__all__ = ["HpcError"]


class HpcError(Exception):
    """An expected failure, whose message tells users the place, the reason and the remedy.

    All error classes in this package derive from it, except those in `elastic`, which runs on nodes without the rest
    of the package.
    """
