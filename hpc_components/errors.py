"""The base class of this package's errors."""

__all__ = ["HpcError"]


class HpcError(Exception):
    """An expected failure. Its message is written for a person: the place, the reason and the remedy.

    Every error class of this package derives from it, except in `elastic`, which runs on the nodes without the rest.
    """
