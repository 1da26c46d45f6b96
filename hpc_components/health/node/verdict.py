"""The outcome of a check."""

from dataclasses import dataclass
from enum import Enum


class Level(Enum):
    WELL = "well"
    """The node is healthy in this respect, or nothing can be said about it."""
    DOUBTFUL = "doubtful"
    """Something did not answer, or not in time. A healthy node may be slow, so this counts only if it lasts."""
    FAILED = "failed"
    """The node must not run jobs."""


@dataclass(frozen=True)
class Verdict:
    level: Level
    what: str = ""
    """What is wrong, or why nothing can be said; empty if all is well. No line break, and short enough for a reason
    in Slurm."""


WELL = Verdict(Level.WELL)


def failed(what: str) -> Verdict:
    return Verdict(Level.FAILED, what)


def doubtful(what: str) -> Verdict:
    return Verdict(Level.DOUBTFUL, what)


def unknown(why: str) -> Verdict:
    """Return the verdict if the facts can't be read: a node is not unhealthy because a tool is missing."""
    return Verdict(Level.WELL, why)
