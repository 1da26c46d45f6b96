"""Reads Google's notices that this machine will be stopped, from the metadata server.

Sources in the Compute Engine documentation:
- "Spot VMs", "Detect preemption": `instance/preempted` announces that the machine will be switched off after the
  notice period that its template requests.
- "Query the metadata server for maintenance event notices": `instance/maintenance-event` appears 60 s before the
  event, or one hour before it for machines with GPUs. Also `instance/upcoming-maintenance`.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import datetime

from hpc_components.elastic.drivers.contract import Notice, NoticeKind
from hpc_components.elastic.drivers.gcp.identity import Metadata
from hpc_components.elastic.drivers.gcp.limits import LIMITS
from hpc_components.elastic.drivers.instance_metadata import ADDRESS

TERMINATE = "TERMINATE_ON_HOST_MAINTENANCE"
EVENTS = {"NONE": False, "MIGRATE_ON_HOST_MAINTENANCE": False, TERMINATE: True}
"""Maps each event to whether it ends the machine. Jobs survive a live migration."""


def notice_source() -> "MetadataNotices":
    """Return the notice source, as defined in `contract`. The environment variable IMDS overrides the metadata
    server's address.
    """
    return MetadataNotices(Metadata(os.environ.get("IMDS", ADDRESS)))


class MetadataNotices:
    """A `NoticeSource` for this machine.

    Google gives no time for an imminent event, so the notice period is counted from when the event was first seen.
    """

    def __init__(self, metadata: Metadata, clock: Callable[[], float] = time.time) -> None:
        self._metadata, self._clock = metadata, clock
        self._seen: dict[str, float] = {}
        """Maps each topic whose notices contain no time to the time at which its notice was first seen."""

    @property
    def address(self) -> str:
        return self._metadata.address

    def read(self) -> Iterator[Notice]:
        """Yield the current notices, spot notices first. Raise OSError if a response is missing or malformed."""
        if self._flag("preempted"):
            at = self._since("preempted") + LIMITS.spot_notice_seconds
            yield Notice(
                kind=NoticeKind.SPOT, at=at, words=f"spot notice: the machine ends at {_show(at, '%H:%M:%S')}"
            )
        event = self._metadata.read("instance/maintenance-event") or "NONE"
        if event not in EVENTS:
            raise OSError(f"metadata server: maintenance-event: unexpected value: {event[:100]!r}")
        if EVENTS[event]:
            at = self._since("maintenance-event")
            words = f"maintenance, the host will go down, first seen at {_show(at, '%Y-%m-%d %H:%M')}"
            yield Notice(kind=NoticeKind.MAINTENANCE, at=at, words=words)
        else:
            self._seen.pop("maintenance-event", None)
            yield from self._upcoming()

    def _upcoming(self) -> Iterator[Notice]:
        text = self._metadata.read("instance/upcoming-maintenance")
        if not text:
            return
        try:
            told = json.loads(text)
            if not told:
                return
            told = {key.replace("_", "").lower(): value for key, value in told.items()}
            at = datetime.fromisoformat(told["windowstarttime"].replace("Z", "+00:00")).timestamp()
            kind = str(told.get("type") or "SCHEDULED").lower()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise OSError(f"metadata server: upcoming-maintenance: unexpected response: {error!r}") from None
        words = f"maintenance, {kind} at {_show(at, '%Y-%m-%d %H:%M')}"
        yield Notice(kind=NoticeKind.MAINTENANCE, at=at, words=words)

    def _flag(self, topic: str) -> bool:
        text = self._metadata.read(f"instance/{topic}") or "FALSE"
        if text not in ("TRUE", "FALSE"):
            raise OSError(f"metadata server: {topic}: unexpected value: {text[:100]!r}")
        return text == "TRUE"

    def _since(self, topic: str) -> float:
        return self._seen.setdefault(topic, self._clock())


def _show(at: float, form: str) -> str:
    return time.strftime(form, time.localtime(at))
