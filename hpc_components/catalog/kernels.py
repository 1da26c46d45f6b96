"""Series of Linux kernels: `6.8`."""


def is_newer(kernel: str, other: str) -> bool:
    """Return whether `kernel` is a later series than `other`."""
    return [int(part) for part in kernel.split(".")] > [int(part) for part in other.split(".")]
