"""Reads and writes a scale set's blob. Only one daemon uses the blob, so it is read only once, and always replaced as
a whole.
"""

import threading
from collections.abc import Callable

from hpc_components.elastic.drivers.azure.arm import Container, OutdatedError
from hpc_components.elastic.drivers.azure.assignments import Assignments, read_assignments

MAX_WRITES = 5
"""Maximum number of attempts to change the blob. An attempt fails if an earlier request that got no response has
changed the blob after all."""


class AssignmentBlob:
    """The blob `<scale set>.json`. Thread-safe.

    All methods raise ArmError if Azure returns an error, and OSError if the response is missing or malformed.
    """

    def __init__(self, container: Container, scale_set: str) -> None:
        self._container = container
        self._name = f"{scale_set}.json"
        self._lock = threading.Lock()
        self._known = Assignments()
        self._etag: str | None = None
        """ETag of the blob, or None if the blob must be read again."""

    def read(self) -> Assignments:
        """Return the blob's content. The blob is read again only if it may have changed."""
        if self._etag is None:
            with self._lock:
                self._load()
        return self._known

    def change(self, change: Callable[[Assignments], Assignments]) -> Assignments:
        """Replace the blob's content with the result of `change`, and return the new content. `change` may be called
        several times.
        """
        with self._lock:
            for _ in range(MAX_WRITES):
                self._load()
                after, etag = change(self._known), self._etag or ""
                if after == self._known:
                    return after
                self._etag = None  # unknown until the response arrives
                try:
                    new = self._container.put(self._name, after.to_bytes(), etag)
                except OutdatedError:
                    continue
                self._known, self._etag = after, new
                return after
        raise OSError(f"{self._name}: another process keeps changing this blob; run only one hpc-elastic per cluster")

    def _load(self) -> None:
        if self._etag is None:
            body, etag = self._container.get(self._name)
            self._known, self._etag = read_assignments(body), etag
