"""Manages compact placement policies. Each policy is created just before its machines, and deleted after the last of
these machines is gone.

Nothing is recorded. Instead, every policy of the cluster that has no machines and that no current launch needs is
deleted, even if a crashed daemon left it behind.
"""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress

from hpc_components.elastic.drivers.contract import FailedError, LaunchError, ThrottledError
from hpc_components.elastic.drivers.gcp.compute import Compute, Request
from hpc_components.elastic.drivers.gcp.errors import EXISTS, IN_USE, NOT_FOUND, GceError
from hpc_components.elastic.drivers.gcp.fleets import Placement
from hpc_components.elastic.drivers.gcp.planning import policy_document, policy_version

READY, DELETING = "READY", "DELETING"
READY_TIMEOUT_SECONDS = 60.0
POLL_SECONDS = 3.5
"""Seconds before each check of the policies. Google does not document how long their creation takes, and each check
costs an API call."""
KEEP_FOR_RETRY_SECONDS = 20.0
"""Seconds for which a failed launch's policies are kept if it will be retried. The daemon retries every 5 s."""
RELIST_SECONDS = 600.0
"""Seconds after which the policies are listed even without a known change, because a request may have been executed
late."""

Steps = Generator[float, None, None]
"""Generator that yields the number of seconds to wait before the next step."""


class Policies:
    """The placement policies of a cluster in one region. Thread-safe."""

    def __init__(self, compute: Compute, cluster: str, region: str, running: Callable[[], float]) -> None:
        self._compute, self._cluster, self._region, self._running = compute, cluster, region, running
        self._description = f"made by hpc-elastic for cluster {cluster}"
        self._lock = threading.Lock()
        self._states: dict[str, str] = {}
        self._held: Counter[str] = Counter()
        self._kept_until: dict[str, float] = {}
        """Maps each policy of a launch that will be retried to the time until which the policy is kept."""
        self._listed = float("-inf")
        """Time of the last list. Negative infinity if something may have changed since."""

    @contextmanager
    def held(self, names: Iterable[str]) -> Generator[None]:
        """Keep a launch's policies while the launch is in progress, and for a while afterwards if it will be retried.

        Otherwise, the policies would be deleted as unused, and the retry would have to wait for new ones.
        """
        names = set(names)
        with self._lock:
            self._held.update(names)
        try:
            yield
        except Exception as error:
            meaning = error.meaning() if isinstance(error, GceError) else error
            self._failed(names, again=isinstance(meaning, (OSError, ThrottledError)))
            raise
        finally:
            with self._lock:
                self._held.subtract(names)

    def _failed(self, names: Collection[str], *, again: bool) -> None:
        """Record that a launch has failed and may have left policies behind.

        `again` means that the launch will be retried.
        """
        now = self._running()
        with self._lock:
            if names:
                self._listed = float("-inf")
            if not again:
                return
            self._kept_until = {name: until for name, until in self._kept_until.items() if until > now}
            self._kept_until |= dict.fromkeys(names, now + KEEP_FOR_RETRY_SECONDS)

    def make(self, names: Collection[str], placement: Placement) -> Steps:
        """Create missing policies, and wait until all are ready.

        The caller must keep the policies with `held`. Raise GceError or OSError if they can't be created.
        """
        waited = 0.0
        missing = [name for name in names if self._states.get(name) != READY]
        while missing:
            if waited >= READY_TIMEOUT_SECONDS:
                raise FailedError(
                    f"placement policy {missing[0]} is still not ready after {READY_TIMEOUT_SECONDS:.0f} s"
                )
            self._insert([name for name in missing if name not in self._states], placement)
            waited += POLL_SECONDS
            yield POLL_SECONDS
            self._read()
            missing = [name for name in missing if self._states.get(name) != READY]

    def forget(self) -> None:
        """Forget the known policies, after one of them has turned out not to exist."""
        with self._lock:
            self._states.clear()
            self._listed = float("-inf")

    def tidy(self, used: Collection[str]) -> None:
        """Delete unused policies.

        `used` contains the policies of existing machines. Failed deletions are retried later.
        """
        with suppress(OSError, LaunchError, GceError), self._lock:
            if self._listed + RELIST_SECONDS < self._running():
                self._list()
            idle = [name for name, state in self._states.items() if self._is_idle(name, state, used)]
            if idle:
                self._delete(idle)

    @property
    def left(self) -> Sequence[str]:
        return sorted(self._states)

    def _is_idle(self, name: str, state: str, used: Collection[str]) -> bool:
        kept = self._held[name] > 0 or self._kept_until.get(name, 0.0) > self._running()
        return state != DELETING and not kept and name not in used

    def _insert(self, names: Sequence[str], placement: Placement) -> None:
        requests = [
            Request(
                method="POST",
                path=f"regions/{self._region}/resourcePolicies",
                document=policy_document(name, placement, self._description),
            )
            for name in names
        ]
        told = self._compute.all(requests, policy_version(placement))
        for error in told:
            if isinstance(error, GceError) and not error.has(EXISTS):
                raise error

    def _read(self) -> None:
        with self._lock:
            self._list()

    def _list(self) -> None:
        began = self._running()
        chosen = f'name eq "{self._cluster}-.*"'
        pages = self._compute.pages(f"regions/{self._region}/resourcePolicies", filter=chosen)
        self._states = {
            raw["name"]: raw.get("status") or READY
            for page in pages
            for raw in page.get("items") or ()
            if self._is_ours(raw)
        }
        self._listed = began

    def _is_ours(self, raw: Mapping[str, object]) -> bool:
        """Return whether the policy was created by the driver instead of the stack."""
        return raw.get("description") == self._description

    def _delete(self, names: Sequence[str]) -> None:
        path = f"regions/{self._region}/resourcePolicies"
        self._listed = float("-inf")
        told = self._compute.all([Request(method="DELETE", path=f"{path}/{name}") for name in names])
        for name, error in zip(names, told, strict=True):
            if not isinstance(error, GceError):
                self._states[name] = DELETING
            elif error.has(NOT_FOUND):
                del self._states[name]
            elif not error.has(IN_USE):
                raise error
