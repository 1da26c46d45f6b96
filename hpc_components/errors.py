__all__ = ["HpcError"]


class HpcError(Exception):
    """An expected failure. The message tells users where the problem is, what is wrong and how to fix it.

    All error classes in this package derive from this class, except those in `elastic`, which runs on nodes without
    the rest of the package.
    """
