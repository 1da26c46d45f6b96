"""Reads the stack's description of the cluster's fleets, `head/fleets.json` in the config bucket.

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
    """How close together the machines of a fleet must be."""

    machines: int
    """Maximum number of machines in one compact policy."""
    max_distance: int | None
    """1, 2 or 3, or None to place machines as close together as capacity allows."""


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """A queue's machines of one type in one zone."""

    template: str
    """Id of the instance template."""
    placement: Placement | None = None
    """How machines are placed close together, using policies that the driver creates and removes, or None."""
    policy: str = ""
    """Id of an existing policy that all its machines get, or empty if they get none."""


class Fleets:
    """The document, which is read again whenever it has changed. May be used from any thread."""

    def __init__(self, cluster: str, bucket: Bucket) -> None:
        self._cluster, self._bucket = cluster, bucket
        self._lock = threading.Lock()
        self._generation = ""
        self._queues: Mapping[str, Any] = {}

    def of(self, pool: Pool) -> Fleet:
        """Return the fleet of a pool.

        Raise RefusedError if the stack has not created one, and GceError or OSError if the document can't be read.
        """
        with self._lock:
            found = self._read()
            if found is not None:
                self._queues, self._generation = _queues(found[0]), found[1]
            queue = self._queues.get(pool.queue) or {}
        template = (queue.get("templates") or {}).get(f"{pool.machine}/{pool.zone}")
        if not template:
            raise RefusedError(
                f"cluster {self._cluster} has no instance template for queue {pool.queue}, {pool.machine} in"
                f" {pool.zone}, in {KEY} of its config bucket; run `pulumi up` again"
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
            # not a refusal, because the object is briefly missing when Pulumi replaces it
            raise OSError(
                f"{KEY} is not in the config bucket; `pulumi up` is about to write it, or has failed"
            ) from None


def _queues(text: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(text)
        version, queues = document["version"], document["queues"]
    except (ValueError, KeyError, TypeError) as error:
        raise OSError(f"{KEY}: malformed: {error!r}") from None
    if version != VERSION:
        raise RefusedError(
            f"{KEY}: unsupported version {version}, expected {VERSION}; install the cluster's own archive"
        )
    return queues
