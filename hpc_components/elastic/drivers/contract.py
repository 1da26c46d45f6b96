"""What a cloud's driver is to the daemon.

A driver is a package `drivers/<cloud>`, called as the `cloud` of `elastic.json`, with these modules:

- `driver`: `connect(config: Config) -> Driver`. It checks what it needs of the configuration and raises ConfigError
  with the key that is missing; OSError if the cloud can't be reached at all. Only this module imports the cloud's
  SDK.
- `limits`: `LIMITS`, a `Limits`. Standard library only: the cloud's components read it too, on any machine.
- `notices`: `notice_source() -> NoticeSource`. Runs on compute nodes, standard library only. A cloud whose machines
  hear nothing of their end has no such module.

`tests/elastic/drivers/contract.py` has the tests that every driver must pass.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.model import Instance, Launch

__all__ = [
    "CapacityError", "Driver", "FailedError", "LaunchError", "Limits", "Machines", "Notice", "NoticeKind",
    "NoticeSource", "QuotaError", "RefusedError", "ThrottledError",
]  # fmt: skip


class LaunchError(Exception):
    """A launch that made no machine at all."""


class CapacityError(LaunchError):
    """The pool has not enough machines now: try another one, come back later."""


class ThrottledError(LaunchError):
    """Asked too often: the same request may be sent again after a pause."""


class RefusedError(LaunchError):
    """The cloud will not do it however often it is asked (permission, quota, a wrong template).

    `terminate` names in `kept` the machines that it refused to end, and in `unclear` those whose end it may or may
    not have requested; if there are either, all others of the call were ended.
    """

    def __init__(self, words: str, kept: Collection[str] = (), unclear: Collection[str] = ()) -> None:
        super().__init__(words)
        self.kept, self.unclear = tuple(kept), tuple(unclear)


class QuotaError(RefusedError):
    """The account may not have so many machines: fewer may still be had."""


class FailedError(OSError):
    """The cloud answered that it failed: nobody knows what it has done, but it is not working on it any more.

    The same launch sent again is answered with machines if it was carried out before; else it is carried out, or
    refused, then.
    """


class Machines(Protocol):
    """The machines of one cluster, and no others. `launch` may be called from several threads, one for each pool.

    Any call may raise OSError if no answer came; then nobody knows whether the cloud has heard it. ThrottledError
    says that nothing was done. A driver repeats nothing by itself: the daemon does, and knows what may be repeated.
    """

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Make between `minimum` and `len(nodes)` machines, or none and raise a LaunchError.

        The machines have the names `nodes` in that order, and each can learn its own; if there are fewer, the last
        names have none, or, on a cloud that makes machines by name, those of some whole `sizes`. The same token never
        makes a second set: sent again, the launch is answered with the machines that it has made. FailedError if the
        cloud says that it failed, so that the launch is not under way any more.
        """
        ...

    def terminate(self, ids: Collection[str]) -> None:
        """End machines for good, as many as can be.

        Ids that are gone already are no error; one so new that the cloud does not know it everywhere is an OSError,
        and so is one that was seen within `list_lag_seconds` and that the cloud does not know now.
        RefusedError names those that the cloud keeps (`kept`), as one protected from termination, and those for which
        an OSError would have been raised alone (`unclear`). ThrottledError says that no machine of the call is
        ending: if some are, it is an OSError (`unended`).
        """
        ...

    def list(self) -> Sequence[Instance]:
        """All machines of this cluster's queues, also those that ended a short while ago.

        A machine launched within `list_lag_seconds` may be missing, and an older one may be missing once. `failing`
        says what the cloud reports of a machine that is broken or about to go. A machine that nobody has ended is
        GONE only if the cloud says so, or has not known it by its id for the whole `list_lag_seconds` (`absences`);
        if it is there again, it is listed again.
        """
        ...

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """Machines of this cluster by their ids, and those of launches by their tokens, also those that have ended.

        It asks for each machine, and so knows more than the list. Ids and tokens that nobody knows are left out.
        """
        ...


class Driver(Machines, Protocol):
    """What the daemon is given: a cluster's machines, and the numbers of their cloud."""

    @property
    def limits(self) -> Limits:
        """Those of the cloud."""
        ...


class NoticeKind(Enum):
    """What the cloud announces to a machine."""

    SPOT = "spot"  # it is taken away within the cloud's spot notice
    MAINTENANCE = "maintenance"  # it is stopped, rebooted or retired at a given time
    REBALANCE = "rebalance"  # it may be taken away soon, or not
    PAUSE = "pause"  # it stands still for some seconds, and loses nothing


@dataclass(frozen=True, kw_only=True)
class Notice:
    """One thing that the cloud announces. The same one, read again, is equal."""

    kind: NoticeKind
    """What kind."""
    at: float
    """When, seconds of the epoch."""
    words: str
    """For people, with the time in the machine's own time zone: it becomes the reason of the node's drain."""


class NoticeSource(Protocol):
    """Where a machine reads what the cloud announces to it."""

    @property
    def address(self) -> str:
        """Its name for people."""
        ...

    def read(self) -> Iterable[Notice]:
        """What is announced now, the most urgent first. OSError if the source can't be read."""
        ...
