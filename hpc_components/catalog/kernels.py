"""Compares Linux kernel series such as `6.8`."""


def is_newer(kernel: str, other: str) -> bool:
    """Return whether the series `kernel` is later than `other`."""
    return [int(part) for part in kernel.split(".")] > [int(part) for part in other.split(".")]
