"""The interface between a cloud's driver and the daemon.

A driver is a package `drivers/<cloud>`, named like `cloud` in `elastic.json`, with these modules:

- `driver`: `connect(config: Config) -> Driver`. It checks the configuration that the driver needs and raises
  ConfigError with the missing key, or OSError if the cloud is unreachable. Only this module may import the cloud's
  SDK.
- `limits`: `LIMITS`, a `Limits`. It uses only the standard library, because the cloud's components also read it, on
  any machine.
- `notices`: `notice_source() -> NoticeSource`. It runs on compute nodes and uses only the standard library. If the
  cloud gives no notices, this module is left out.

`tests/elastic/drivers/contract.py` contains the tests that every driver must pass.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.model import Instance, Launch


class LaunchError(Exception):
    """A launch did not create any machines."""


class CapacityError(LaunchError):
    """The pool has too few machines now; try another pool, or try again later."""


class ThrottledError(LaunchError):
    """The cloud was called too often. The same request may be sent again after a pause."""


class RefusedError(LaunchError):
    """The cloud refuses the request, and would refuse it again (permission, quota, invalid template).

    For `terminate`, `kept` names the machines that the cloud refused to terminate, and `unclear` names those for
    which it is unknown whether their termination was requested. If either is set, all other machines in the call were
    terminated.
    """

    def __init__(self, words: str, kept: Collection[str] = (), unclear: Collection[str] = ()) -> None:
        super().__init__(words)
        self.kept, self.unclear = tuple(kept), tuple(unclear)


class QuotaError(RefusedError):
    """The account's quota does not allow that many machines. A smaller launch may succeed."""


class FailedError(OSError):
    """The cloud answered with an internal error: the outcome is unknown, but the request is no longer under way.

    If the same launch is sent again, it returns its machines if it succeeded before; otherwise it is executed or
    refused then.
    """


class Machines(Protocol):
    """The machines of one cluster only. `launch` may be called from several threads, one per pool.

    Any call may raise OSError if no answer arrived, in which case it is unknown whether the cloud received the
    request. ThrottledError means that nothing was done. A driver must never retry; that is left to the daemon, which
    knows what may be repeated.
    """

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Create between `minimum` and `len(nodes)` machines, or create none and raise a LaunchError.

        The machines get the names in `nodes`, in that order, and each can find out its own name. If there are fewer
        machines than names, the last names are left without a machine. A cloud that creates machines by name may
        instead leave out whole groups of names (`sizes`). The same token must never create a second set of machines:
        if a launch is sent again, it returns the machines that it created. FailedError means that the cloud reported
        an internal error and the launch is no longer under way.
        """
        ...

    def terminate(self, ids: Collection[str]) -> None:
        """Terminate as many of these machines as possible.

        Machines that are already gone are ignored. Raise OSError if a machine is so new that parts of the cloud do
        not know it yet, or was seen within `list_lag_seconds` but can't be found now. RefusedError names the machines
        that the cloud keeps (`kept`), such as those protected from termination, and those that would have raised
        OSError on their own (`unclear`). ThrottledError means that no machine in the call is ending; if some are,
        OSError is raised instead (see `unended`).
        """
        ...

    def list(self) -> Sequence[Instance]:
        """Return all machines of this cluster's queues, including those that ended a short while ago.

        A machine launched within `list_lag_seconds` may be missing, and an older machine may be missing once.
        `failing` contains the cloud's report about a machine that is broken or about to be reclaimed. A machine that
        the daemon did not terminate is GONE only if the cloud reports that, or if lookups of its id have failed for
        `list_lag_seconds` (see `absences`). If such a machine reappears, it is listed again.
        """
        ...

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """Return machines of this cluster by their ids, and those of launches by their tokens, including ended
        machines.

        Each machine is looked up, so the result may include machines that the list omits. Unknown ids and tokens are
        left out.
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

    SPOT = "spot"  # the machine will be reclaimed within the cloud's spot notice period
    MAINTENANCE = "maintenance"  # the machine will be stopped, rebooted or retired at a given time
    REBALANCE = "rebalance"  # the machine may be reclaimed soon
    PAUSE = "pause"  # the machine will stop for some seconds without losing state


@dataclass(frozen=True, kw_only=True)
class Notice:
    """An announcement by the cloud. Reading the same announcement again returns an equal value."""

    kind: NoticeKind
    at: float
    """Time of the event, in seconds since the epoch."""
    words: str
    """A message for operators, with times in the machine's own time zone. It becomes the reason of the node's
    drain."""


class NoticeSource(Protocol):
    """Source of the cloud's announcements to a machine."""

    @property
    def address(self) -> str:
        """Address of the source, for operators."""
        ...

    def read(self) -> Iterable[Notice]:
        """Yield the current notices, the most urgent first. Raise OSError if the source can't be read."""
        ...
