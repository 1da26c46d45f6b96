from collections.abc import Collection, Mapping
from dataclasses import dataclass

from hpc_components.elastic.model import Launch, Pool
from hpc_components.elastic.slurm.reasons import Why

MAX_BLOCK_SECONDS = 4 * 3600.0
"""Maximum time, in seconds, that a pool stays blocked. A longer cool-down takes precedence."""


def longest_block(cooldown: float) -> float:
    """Return the maximum time, in seconds, that a pool stays blocked, given the cool-down in seconds."""
    return max(MAX_BLOCK_SECONDS, cooldown)


def next_block(cooldown: float, times: int) -> float:
    """Return how many seconds to block a pool that was blocked `times` times in a row: twice as long each time."""
    return min(cooldown * 2.0 ** min(times, 20), longest_block(cooldown))


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A launch, recorded before it is sent and kept until its machines are certain to be listed."""

    launch: Launch
    """The full request, which must be identical if it is sent again."""
    sent: float
    """Time at which the launch was last sent or answered, in seconds since the epoch."""
    machines: Mapping[str, str] | None = None
    """Maps each node name to the id of its machine. None until the cloud answers the launch."""
    refused: bool = False
    """Whether the cloud answered the launch with an error, or the daemon gave up on the launch. An earlier call for
    the same launch may still have succeeded, so its machines may be listed later."""
    heard: bool = False
    """Whether every call was answered, possibly with an error, so that none is still in progress."""

    @property
    def unanswered(self) -> bool:
        return self.machines is None and not self.refused

    @property
    def nodes(self) -> Collection[str]:
        """Nodes for which the launch created, or may have created, machines."""
        return self.launch.nodes if self.machines is None else self.machines.keys()


@dataclass(frozen=True, kw_only=True)
class FailingPool:
    """A pool whose latest machines failed to boot."""

    pool: Pool
    times: int
    """Number of consecutive times the pool was blocked for this reason."""
    since: float
    """Launch time of the first machine that failed, in seconds since the epoch."""


@dataclass(frozen=True, kw_only=True)
class BlockedPool:
    pool: Pool
    until: float
    """End of the block, in seconds since the epoch."""
    words: str
    """The cloud's message."""
    why: Why = Why.CAPACITY
    at_least: int = 1
    """Smallest order size that is blocked; 1 blocks all orders."""

    @property
    def told(self) -> str:
        if self.why is Why.CAPACITY:
            return self.words
        size = f" for {self.at_least} machines or more" if self.at_least > 1 else ""
        return f"{self.why.value}{size}: {self.words}"
