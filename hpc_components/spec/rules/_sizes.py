"""Words problems with sizes that clouds don't sell."""

from hpc_components.spec.values import Size


def not_whole_gib(size: Size, seller: str) -> tuple[str, str]:
    """Return (reason, remedy) for a size that is not a whole number of GiB."""
    gib = size.in_gib
    return f"{size} is {gib:.2f} GiB, and {seller} sells whole GiB", f"use {int(gib) + 1}GiB"
