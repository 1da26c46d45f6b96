"""The interface between the daemon and a cloud's driver.

A driver is a package `drivers/<cloud>`, where `<cloud>` is the value of `cloud` in `elastic.json`. It consists of
these modules:

- `driver`: `connect(config: Config) -> Driver`. Checks the configuration that the driver needs. Raises ConfigError if
  a key is missing, or OSError if the cloud is unreachable. Only this module may import the cloud's SDK.
- `limits`: `LIMITS`, a `Limits`. Uses only the standard library, because the cloud's components also import this
  module, possibly on a machine without the SDK.
- `notices`: `notice_source() -> NoticeSource`. Runs on compute nodes and uses only the standard library. Clouds that
  give no notices don't need this module.

`tests/elastic/drivers/contract.py` contains the tests that every driver must pass.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Protocol, runtime_checkable

from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.model import Instance, Launch, LoginNode, Pool


class LaunchError(Exception):
    """A launch did not create any machines."""


class CapacityError(LaunchError):
    """The pool does not have enough machines at present. Try another pool, or try again later."""


class ThrottledError(LaunchError):
    """The cloud has been called too often. The same request may be sent again after a pause."""


class RefusedError(LaunchError):
    """The cloud refuses the request and would refuse it again, e.g. because of a permission, a quota or an invalid
    template.

    For `terminate`, `kept` contains the machines that the cloud refused to terminate, and `unclear` contains those
    for which it is unknown whether termination was requested. If either is set, all other machines in the call were
    terminated.
    """

    def __init__(self, words: str, kept: Collection[str] = (), unclear: Collection[str] = ()) -> None:
        super().__init__(words)
        self.kept, self.unclear = tuple(kept), tuple(unclear)


class QuotaError(RefusedError):
    """The account's quota does not allow that many machines. A smaller launch may succeed."""


class BudgetError(RefusedError):
    """The cloud's own budget is spent, so the cloud denies launches until an administrator undoes that."""


class FailedError(OSError):
    """The cloud reported an internal error. The outcome is unknown, but the request is no longer in progress.

    If the launch did create machines, sending it again returns them. Otherwise, the new request is executed or
    refused.
    """


class Machines(Protocol):
    """The machines of one cluster. `launch` may be called from several threads, one per pool.

    Any call may raise OSError if there is no response, in which case it is unknown whether the cloud received the
    request. ThrottledError means that nothing was done. A driver must never retry a call, because only the daemon can
    decide what may be repeated.
    """

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Create between `minimum` and `len(nodes)` machines, or create none and raise LaunchError.

        The machines get the names in `nodes`, in that order, and each machine can find out its own name. If there are
        fewer machines than names, the last names remain unused. A cloud that creates machines by name may leave out
        whole groups of names instead (see `sizes`).

        The same token must never create a second set of machines. If a launch is sent again, the machines that it
        already created are returned. FailedError means that the cloud reported an internal error and the launch has
        ended.
        """
        ...

    def terminate(self, ids: Collection[str]) -> None:
        """Terminate as many of these machines as possible. Machines that are already gone are ignored.

        Exceptions:

        - RefusedError: the cloud refuses to terminate some machines (`kept`), e.g. because they are protected.
          `unclear` contains any machines that would otherwise have caused OSError.
        - OSError: a machine is so new that parts of the cloud can't find it yet, or was seen within
          `list_lag_seconds` but can't be found now.
        - ThrottledError: no machine in the call is being terminated. If some machines are, OSError is raised instead
          (see `unended`).
        """
        ...

    def list(self) -> Sequence[Instance]:
        """Return all machines of this cluster's queues, including those that ended a short while ago.

        A machine launched within `list_lag_seconds` may be missing, and an older machine may occasionally be missing
        from a single list. `failing` contains the cloud's report about a machine that is broken or about to be
        reclaimed. A machine that the daemon did not terminate is GONE only if the cloud reports this, or if lookups
        by id have failed for `list_lag_seconds` (see `absences`). If such a machine reappears, it is listed again.
        """
        ...

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """Return machines of this cluster by machine id and by launch token, including ended machines.

        Each machine is looked up, so the result may include machines that the list omits. Unknown ids and tokens are
        ignored.
        """
        ...


class Driver(Machines, Protocol):
    """A cluster's machines and its cloud's limits, as used by the daemon."""

    @property
    def limits(self) -> Limits: ...


class SpotPriced(Protocol):
    """A driver whose cloud reports the prices of spot machines."""

    def spot_prices(self, pools: Collection[Pool]) -> Mapping[Pool, Decimal]:
        """Return the current prices in USD per hour, without disks. Pools without a price are left out. Raise
        LaunchError or OSError, like the other calls."""
        ...


@runtime_checkable
class LoginNodesListed(Protocol):
    """A driver that lists the cluster's login nodes, which Prometheus then scrapes."""

    def login_nodes(self) -> Sequence[LoginNode]:
        """Return the cluster's login nodes that are running. They are in no list of `Machines`. Raise LaunchError or
        OSError, like the other calls."""
        ...


class NoticeKind(Enum):
    SPOT = "spot"  # the machine will be reclaimed within the cloud's spot notice period
    MAINTENANCE = "maintenance"  # the machine will be stopped, rebooted or retired at a given time
    REBALANCE = "rebalance"  # the machine may be reclaimed soon
    PAUSE = "pause"  # the machine will pause for a few seconds without losing state


@dataclass(frozen=True, kw_only=True)
class Notice:
    """An announcement by the cloud. Reading the same announcement again yields an equal value."""

    kind: NoticeKind
    at: float
    """Time of the event, in seconds since the epoch."""
    words: str
    """Message for operators, with times in the machine's own time zone. It becomes the node's drain reason."""


class NoticeSource(Protocol):
    """Source of the cloud's notices to a machine."""

    @property
    def address(self) -> str:
        """Address of the source, to show to operators."""
        ...

    def read(self) -> Iterable[Notice]:
        """Yield the current notices, most urgent first. Raise OSError if the source can't be read."""
        ...
