"""Compares Linux kernel series, e.g. `6.8` and `6.11`."""


def is_newer(kernel: str, other: str) -> bool:
    return [int(part) for part in kernel.split(".")] > [int(part) for part in other.split(".")]
