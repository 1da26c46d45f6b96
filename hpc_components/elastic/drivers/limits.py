"""A cloud's limits and delays.

This is a separate module so that programs that describe a cluster can read the limits without further imports.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """A cloud's limits and delays. The source of each is given where it is declared."""

    list_lag_seconds: int
    """Seconds after which a launched machine is certain to be listed, if it exists. Until then, it may be missing or
    shown in its former state."""
    launch_size: int
    """Maximum number of machines in one launch."""
    tag_length: int
    """Maximum length of the tag (or label, or other text that a machine can read) that contains the numbers of a
    launch's nodes, as encoded by `names.tag_of`."""
    spot_notice_seconds: int
    """Seconds between the notice that a spot machine will be reclaimed and its end."""
    purchases: tuple[str, ...] = ()
    """Names of the purchase options. Empty if any name is allowed."""
