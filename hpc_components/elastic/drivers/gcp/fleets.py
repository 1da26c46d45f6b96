"""Reads the stack's list of fleets from `head/fleets.json` in the config bucket.

The document (version 1) has the form `{"version": 1, "project": ..., "queues": {"<queue>": {"templates":
{"<machine>/<zone>": "<id>"}, "purchase": ..., "max_run_seconds": null | n, "policy": null | "<id>", "placement": null
| {"machines": 150, "max_distance": null | n}, "spread": null | n}}}`.
"""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.elastic.drivers.contract import RefusedError
from hpc_components.elastic.drivers.gcp.compute import Bucket
from hpc_components.elastic.drivers.gcp.errors import GceError
from hpc_components.elastic.model import Pool

KEY = "head/fleets.json"
VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Placement:
    machines: int
    """Maximum number of machines per compact policy."""
    max_distance: int | None
    """Maximum distance: 1, 2 or 3. None to place machines as close together as capacity allows."""


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """A queue's machines of one type in one zone."""

    template: str
    placement: Placement | None = None
    """How to place machines close together, using policies that the driver creates and removes. None if the driver
    creates no policies."""
    policy: str = ""
    """Id of an existing policy for all machines. Empty if machines use no existing policy."""


class Fleets:
    """The fleets in `head/fleets.json`, which is read again whenever it has changed. Thread-safe."""

    def __init__(self, cluster: str, bucket: Bucket) -> None:
        self._cluster, self._bucket = cluster, bucket
        self._lock = threading.Lock()
        self._generation = ""
        self._queues: Mapping[str, Any] = {}

    def of(self, pool: Pool) -> Fleet:
        """Return a pool's fleet.

        Raise RefusedError if the stack has not created the fleet, and GceError or OSError if the document can't be
        read.
        """
        with self._lock:
            found = self._read()
            if found is not None:
                self._queues, self._generation = _queues(found[0]), found[1]
            queue = self._queues.get(pool.queue) or {}
        template = (queue.get("templates") or {}).get(f"{pool.machine}/{pool.zone}")
        if not template:
            raise RefusedError(
                f"cluster {self._cluster} has no instance template for queue {pool.queue}, {pool.machine} in "
                f"{pool.zone} (according to {KEY} in its config bucket); run `pulumi up` again"
            )
        close = queue.get("placement")
        placement = Placement(machines=close["machines"], max_distance=close.get("max_distance")) if close else None
        return Fleet(template=template, placement=placement, policy=queue.get("policy") or "")

    def _read(self) -> tuple[bytes, str] | None:
        try:
            return self._bucket.read(KEY, self._generation)
        except GceError as error:
            if error.status != 404:
                raise
            # not a refusal, because the object is missing for a moment while Pulumi replaces it
            raise OSError(
                f"{KEY} is missing from the config bucket; `pulumi up` has not written it yet, or has failed"
            ) from None


def _queues(text: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(text)
        version, queues = document["version"], document["queues"]
    except (ValueError, KeyError, TypeError) as error:
        raise OSError(f"{KEY}: malformed: {error!r}") from None
    if version != VERSION:
        raise RefusedError(
            f"{KEY}: unsupported version {version}, expected {VERSION}; install the archive that belongs to "
            "this cluster"
        )
    return queues
