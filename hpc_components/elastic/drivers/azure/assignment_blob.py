"""The blob of a scale set, read once and changed as a whole, by one daemon."""

import threading
from collections.abc import Callable

from hpc_components.elastic.drivers.azure.arm import Container, OutdatedError
from hpc_components.elastic.drivers.azure.assignments import Assignments, read_assignments

__all__ = ["AssignmentBlob"]

WRITES = 5
"""Attempts to change the blob: after a request without an answer it may be another one than we think."""


class AssignmentBlob:
    """`<scale set>.json`. May be used from any thread; only changes wait for each other.

    All raises ArmError or OSError, if Blob does not answer as it should.
    """

    def __init__(self, container: Container, scale_set: str) -> None:
        self._container = container
        self._name = f"{scale_set}.json"
        self._lock = threading.Lock()
        self._known = Assignments()
        self._etag: str | None = None
        """Of the blob; None if it has to be read."""

    def read(self) -> Assignments:
        """What it says. Reads it only if that is not known for sure."""
        if self._etag is None:
            with self._lock:
                self._load()
        return self._known

    def change(self, change: Callable[[Assignments], Assignments]) -> Assignments:
        """Replace what it says. `change` may be called several times. What it says then."""
        with self._lock:
            for _ in range(WRITES):
                self._load()
                after, etag = change(self._known), self._etag or ""
                if after == self._known:
                    return after
                self._etag = None  # until an answer says what it is
                try:
                    new = self._container.put(self._name, after.to_bytes(), etag)
                except OutdatedError:
                    continue
                self._known, self._etag = after, new
                return after
        raise OSError(
            f"{self._name}: somebody else changes which machine is which node; there must be one daemon only"
        )

    def _load(self) -> None:
        if self._etag is None:
            body, etag = self._container.get(self._name)
            self._known, self._etag = read_assignments(body), etag
