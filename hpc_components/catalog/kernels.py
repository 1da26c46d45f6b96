"""Series of Linux kernels: `6.8`."""

__all__ = ["is_newer"]


def is_newer(kernel: str, other: str) -> bool:
    """Whether a series of kernels comes after another."""
    return [int(part) for part in kernel.split(".")] > [int(part) for part in other.split(".")]
