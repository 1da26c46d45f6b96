"""What Google tells a machine about its own end, in the machine's metadata.

Source: Compute Engine documentation, "Spot VMs", "Detect preemption" (`instance/preempted`; the machine is switched
off as many seconds later as its template asks for); "Query the metadata server for maintenance event notices"
(`instance/maintenance-event`, 60 s before, one hour for machines with GPUs; `instance/upcoming-maintenance`).
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import datetime

from hpc_components.elastic.drivers.contract import Notice, NoticeKind
from hpc_components.elastic.drivers.gcp.identity import ADDRESS, Metadata
from hpc_components.elastic.drivers.gcp.limits import LIMITS

__all__ = ["MetadataNotices", "notice_source"]

TERMINATE = "TERMINATE_ON_HOST_MAINTENANCE"
EVENTS = {"NONE": False, "MIGRATE_ON_HOST_MAINTENANCE": False, TERMINATE: True}
"""Whether the machine ends. A machine that is moved while it runs keeps its jobs."""


def notice_source() -> "MetadataNotices":
    """As `contract` has it. The environment's IMDS is the address of another metadata server."""
    return MetadataNotices(Metadata(os.environ.get("IMDS", ADDRESS)))


class MetadataNotices:
    """The notices of this machine: as in `NoticeSource`.

    Google tells no time of what is about to happen: it is counted from when it was first seen.
    """

    def __init__(self, metadata: Metadata, clock: Callable[[], float] = time.time) -> None:
        self._metadata, self._clock = metadata, clock
        self._seen: dict[str, float] = {}
        """When a notice without a time was first seen, by its topic."""

    @property
    def address(self) -> str:
        """Of the metadata server."""
        return self._metadata.address

    def read(self) -> Iterator[Notice]:
        """What stands against the machine now, spot notices first. OSError if the server does not answer well."""
        if self._flag("preempted"):
            at = self._since("preempted") + LIMITS.spot_notice_seconds
            yield Notice(kind=NoticeKind.SPOT, at=at, words=f"spot notice, ends {_show(at, '%H:%M:%S')}")
        event = self._metadata.read("instance/maintenance-event") or "NONE"
        if event not in EVENTS:
            raise OSError(f"metadata server: maintenance-event: not understood: {event[:100]!r}")
        if EVENTS[event]:
            at = self._since("maintenance-event")
            words = f"maintenance, the host goes down, seen at {_show(at, '%Y-%m-%d %H:%M')}"
            yield Notice(kind=NoticeKind.MAINTENANCE, at=at, words=words)
        else:
            self._seen.pop("maintenance-event", None)
            yield from self._upcoming()

    def _upcoming(self) -> Iterator[Notice]:
        """Maintenance whose time is known long before."""
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
            raise OSError(f"metadata server: upcoming-maintenance: not understood: {error!r}") from None
        words = f"maintenance, {kind} at {_show(at, '%Y-%m-%d %H:%M')}"
        yield Notice(kind=NoticeKind.MAINTENANCE, at=at, words=words)

    def _flag(self, topic: str) -> bool:
        text = self._metadata.read(f"instance/{topic}") or "FALSE"
        if text not in ("TRUE", "FALSE"):
            raise OSError(f"metadata server: {topic}: not understood: {text[:100]!r}")
        return text == "TRUE"

    def _since(self, topic: str) -> float:
        return self._seen.setdefault(topic, self._clock())


def _show(at: float, form: str) -> str:
    return time.strftime(form, time.localtime(at))
