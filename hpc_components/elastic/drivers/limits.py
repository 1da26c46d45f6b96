"""A cloud's own numbers. A module by itself: whoever describes a cluster reads them, and should import no more."""

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """A cloud's own numbers, each with its source where it is declared."""

    list_lag_seconds: int
    """A machine that was launched this long ago is surely in the list, if there is one; until then it may be missing,
    or be shown in its former state."""
    launch_size: int
    """Most machines of one launch."""
    tag_length: int
    """Characters of the tag (or label, or whatever a machine can read) with the numbers of a launch's nodes, in the
    form of `names.tag_of`."""
    spot_notice_seconds: int
    """From the notice that a spot machine is taken away until it is."""
    purchases: tuple[str, ...] = ()
    """The words for how its machines may be bought; empty if any may be used."""
