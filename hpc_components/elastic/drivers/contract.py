"""The interface between a cloud's driver and the daemon.

A driver is a package `drivers/<cloud>`, named like `cloud` in `elastic.json`, with these modules:

- `driver`: `connect(config: Config) -> Driver`. It checks the configuration that it needs and raises ConfigError with
  the missing key, or OSError if the cloud is unreachable. Only this module imports the cloud's SDK.
- `limits`: `LIMITS`, a `Limits`. Standard library only: the cloud's components read it too, on any machine.
- `notices`: `notice_source() -> NoticeSource`. Runs on compute nodes, standard library only. A cloud that gives its
  machines no notices has no such module.

`tests/elastic/drivers/contract.py` has the tests that every driver must pass.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.model import Instance, Launch


class LaunchError(Exception):
    """A launch that created no machine at all."""


class CapacityError(LaunchError):
    """The pool has too few machines now: try another one, or come back later."""


class ThrottledError(LaunchError):
    """Called too often: the same request may be sent again after a pause."""


class RefusedError(LaunchError):
    """The cloud refuses the request however often it is sent (permission, quota, invalid template).

    For `terminate`, `kept` names the machines that the cloud refused to end, and `unclear` those for which it is
    unknown whether their end was requested; if either is set, all others of the call were ended.
    """

    def __init__(self, words: str, kept: Collection[str] = (), unclear: Collection[str] = ()) -> None:
        super().__init__(words)
        self.kept, self.unclear = tuple(kept), tuple(unclear)


class QuotaError(RefusedError):
    """The account's quota does not allow so many machines: a smaller launch may succeed."""


class FailedError(OSError):
    """The cloud answered with an internal error: the outcome is unknown, but the request is not under way any more.

    The same launch sent again is answered with its machines if it succeeded before; else it is executed or refused
    then.
    """


class Machines(Protocol):
    """The machines of one cluster, and no others. `launch` may be called from several threads, one per pool.

    Any call may raise OSError if no answer came; it is then unknown whether the cloud received it. ThrottledError
    means that nothing was done. A driver never retries: the daemon does, and knows what may be repeated.
    """

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Create between `minimum` and `len(nodes)` machines, or none and raise a LaunchError.

        The machines have the names `nodes` in that order, and each can learn its own; if there are fewer, the last
        names have none, or, on a cloud that creates machines by name, those of some whole `sizes`. The same token
        never creates a second set: sent again, the launch is answered with the machines that it created. FailedError
        means that the cloud reported an internal error, and the launch is not under way any more.
        """
        ...

    def terminate(self, ids: Collection[str]) -> None:
        """Terminate as many of these machines as possible.

        Ids that are already gone are ignored. An id so new that parts of the cloud do not know it yet raises OSError,
        and so does one that was seen within `list_lag_seconds` and is unknown now. RefusedError names the machines
        that the cloud keeps (`kept`), such as those protected from termination, and those that would have raised
        OSError on their own (`unclear`). ThrottledError means that no machine of the call is ending: if some are,
        OSError is raised (`unended`).
        """
        ...

    def list(self) -> Sequence[Instance]:
        """Return all machines of this cluster's queues, including those that ended a short while ago.

        A machine launched within `list_lag_seconds` may be missing, and an older one may be missing once. `failing`
        is the cloud's report about a machine that is broken or about to go. A machine that was not ended by the
        daemon is GONE only if the cloud says so, or has not known its id for the whole `list_lag_seconds`
        (`absences`); if it reappears, it is listed again.
        """
        ...

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """Return machines of this cluster by their ids, and those of launches by their tokens, including ended ones.

        It looks up each machine, and therefore knows more than the list. Unknown ids and tokens are left out.
        """
        ...


class Driver(Machines, Protocol):
    """A cluster's machines and their cloud's limits, as used by the daemon."""

    @property
    def limits(self) -> Limits:
        """The cloud's limits."""
        ...


class NoticeKind(Enum):
    """Kinds of notices."""

    SPOT = "spot"  # the machine is reclaimed within the cloud's spot notice
    MAINTENANCE = "maintenance"  # the machine is stopped, rebooted or retired at a given time
    REBALANCE = "rebalance"  # the machine may be reclaimed soon
    PAUSE = "pause"  # the machine stops for some seconds without losing state


@dataclass(frozen=True, kw_only=True)
class Notice:
    """One announcement by the cloud. The same one, read again, is equal."""

    kind: NoticeKind
    at: float
    """Time of the event, in seconds since the epoch."""
    words: str
    """A message for operators, in the machine's own time zone: it becomes the reason of the node's drain."""


class NoticeSource(Protocol):
    """Source of the cloud's announcements to a machine."""

    @property
    def address(self) -> str:
        """Name of the source, for operators."""
        ...

    def read(self) -> Iterable[Notice]:
        """Yield the current notices, the most urgent first. Raise OSError if the source can't be read."""
        ...
