"""Entries of the journal: launches, blocked pools, and pools whose machines fail to boot."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from hpc_components.elastic.model import Launch, Pool
from hpc_components.elastic.slurm.reasons import Why

MAX_BLOCK_SECONDS = 4 * 3600.0
"""Maximum seconds for which a pool is blocked. If the cool-down is longer, it applies instead."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A launch, from before it is sent until its machines are certain to be listed."""

    launch: Launch
    """The whole request, which must be identical when it is sent again."""
    sent: float
    """Time at which it was last sent or answered, in seconds since the epoch."""
    machines: Mapping[str, str] | None = None
    """Maps each node to its machine's id. None until the launch is answered."""
    refused: bool = False
    """Whether the launch was answered with an error, or given up. An earlier call may still succeed, and its machines
    may be listed later."""
    heard: bool = False
    """Whether every call was answered, possibly with a cloud error, so that no call is under way."""

    @property
    def unanswered(self) -> bool:
        """Whether it is unknown if the cloud has received the launch."""
        return self.machines is None and not self.refused

    @property
    def nodes(self) -> Collection[str]:
        """The nodes for which the launch has, or may have, created machines."""
        return self.launch.nodes if self.machines is None else self.machines.keys()


@dataclass(frozen=True, kw_only=True)
class FailingPool:
    """A pool whose latest machines failed to boot."""

    pool: Pool
    times: int
    """Number of consecutive blocks for this reason."""
    since: float
    """Launch time of the first machine that failed, in seconds since the epoch."""


@dataclass(frozen=True, kw_only=True)
class BlockedPool:
    """A pool that is left alone for a while."""

    pool: Pool
    until: float
    """End of the block, in seconds since the epoch."""
    words: str
    """The cloud's message."""
    why: Why = Why.CAPACITY
    at_least: int = 1
    """Smallest order size that is held back; 1 holds back all orders."""

    @property
    def told(self) -> str:
        """Kind and message of the block, for operators."""
        if self.why is Why.CAPACITY:
            return self.words
        size = f" for {self.at_least} machines or more" if self.at_least > 1 else ""
        return f"{self.why.value}{size}: {self.words}"
