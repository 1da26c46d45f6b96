"""A cloud's limits and delays. A separate module: programs that describe a cluster read it without further
imports."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """A cloud's limits and delays, each with its source where it is declared."""

    list_lag_seconds: int
    """Seconds after which a launched machine is certain to be listed, if it exists; until then it may be missing, or
    shown in its former state."""
    launch_size: int
    """Maximum number of machines in one launch."""
    tag_length: int
    """Maximum length of the tag (or label, or other text that a machine can read) with the numbers of a launch's
    nodes, in the form of `names.tag_of`."""
    spot_notice_seconds: int
    """Seconds from the notice that a spot machine is reclaimed until it is."""
    purchases: tuple[str, ...] = ()
    """Names of the purchase options; empty if any is allowed."""
