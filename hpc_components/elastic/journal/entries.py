"""What the journal remembers: launches, pools that are left alone, and pools whose machines do not come up."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from hpc_components.elastic.model import Launch, Pool
from hpc_components.elastic.slurm.reasons import Why

__all__ = ["LONGEST", "BlockedPool", "Entry", "FailingPool"]

LONGEST = 4 * 3600.0
"""Seconds for which a pool is left alone at most, if the cool-down is not longer."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A launch, from before the cloud hears of it until its machines are surely listed."""

    launch: Launch
    """The whole request: sent again, it must be the same."""
    sent: float
    """When it was last sent or answered, seconds of the epoch."""
    machines: Mapping[str, str] | None = None
    """Node -> id of its machine, once it was answered; None until then."""
    refused: bool = False
    """It was answered with an error, or given up; an earlier call may still be carried out, and listed later."""
    heard: bool = False
    """Every call was answered, if only with a failure of the cloud: none is under way any more."""

    @property
    def unanswered(self) -> bool:
        """Whether nobody knows if the cloud has heard of it."""
        return self.machines is None and not self.refused

    @property
    def nodes(self) -> Collection[str]:
        """The nodes for which it has made machines, or may have."""
        return self.launch.nodes if self.machines is None else self.machines.keys()


@dataclass(frozen=True, kw_only=True)
class FailingPool:
    """A pool whose machines did not come up, and none since."""

    pool: Pool
    """Which one."""
    times: int
    """How often in a row it was left alone for this."""
    since: float
    """When the first machine that failed was launched, seconds of the epoch."""


@dataclass(frozen=True, kw_only=True)
class BlockedPool:
    """A pool that is left alone for a while."""

    pool: Pool
    """Which one."""
    until: float
    """Seconds of the epoch."""
    words: str
    """What the cloud said."""
    why: Why = Why.CAPACITY
    """The kind of reason."""
    at_least: int = 1
    """Only orders of this many machines or more are held back; 1: all orders."""

    @property
    def told(self) -> str:
        """Kind and words of the reason, for people."""
        if self.why is Why.CAPACITY:
            return self.words
        size = f" for {self.at_least} machines or more" if self.at_least > 1 else ""
        return f"{self.why.value}{size}: {self.words}"
