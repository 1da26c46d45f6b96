"""A cloud's limits and delays.

This is a separate module so that programs that describe a cluster can read the limits without importing anything
else.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    list_lag_seconds: int
    """Seconds after which a launched machine is certain to be listed if it exists. Until then, it may be missing or
    shown in its former state."""
    launch_size: int
    """Maximum number of machines in one launch."""
    tag_length: int
    """Maximum length of the tag, label or metadata value that contains the node numbers of a launch, as encoded by
    `names.tag_of`."""
    spot_notice_seconds: int
    """Seconds from the notice that a spot machine will be reclaimed until the machine is stopped."""
    purchases: tuple[str, ...] = ()
    """Names of the supported purchase options. Empty if any name is allowed."""
    minimum_billed_seconds: int = 0
    """Seconds that are billed at least for every machine. 0 if unknown."""
