"""Reads Azure's scheduled events, which announce that this machine will be interrupted.

Events are never acknowledged, because Azure would then start them early. Source: Azure Virtual Machines, "Azure
Metadata Service: Scheduled Events for Linux VMs".
"""

import json
import os
import time
from calendar import timegm
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hpc_components.elastic.drivers.azure.identity import Metadata
from hpc_components.elastic.drivers.contract import Notice, NoticeKind
from hpc_components.elastic.drivers.instance_metadata import ADDRESS

TOPIC = "scheduledevents?api-version=2020-07-01"

KINDS = {"Preempt": NoticeKind.SPOT, "Freeze": NoticeKind.PAUSE}
"""Maps Azure's event types to notice kinds. All other types (Reboot, Redeploy, Terminate) are treated as maintenance,
which ends any jobs that are still running.

A freeze usually takes less than ten seconds and preserves memory, files and connections. Draining the node would cost
more, because the node's other jobs may run for days. Machines with InfiniBand (H and N series) are not frozen for
updates. Source: Azure Virtual Machines, "Maintenance for virtual machines in Azure". By default, AKS does not drain
nodes for a freeze either (AKS documentation, "Node auto-drain").
"""


def notice_source() -> "ScheduledEvents":
    """Return the notice source, as defined in `contract`. The environment variable IMDS overrides the address of the
    metadata service.
    """
    return ScheduledEvents(Metadata(os.environ.get("IMDS", ADDRESS)))


class ScheduledEvents:
    """A `NoticeSource` for this machine's scheduled events.

    Events of the scale set's other machines, which Azure includes in the response, are ignored. Azure may take up to
    two minutes to respond to a machine's first request. Until then, `read` raises OSError.
    """

    def __init__(self, metadata: Metadata, clock: Callable[[], float] = time.time) -> None:
        self._metadata, self._clock = metadata, clock
        self._name = ""
        self._begun: dict[str, float] = {}
        """Maps the id of each event that has started to the time at which the start was noticed. Azure does not
        report a time for such events."""

    @property
    def address(self) -> str:
        return self._metadata.address

    def read(self) -> Iterator[Notice]:
        """Yield the current notices, spot notices first. Raise OSError if the response is missing or malformed."""
        self._name = self._name or self._metadata.compute()["name"]
        text = self._metadata.read(TOPIC)
        try:
            events = [event for event in json.loads(text)["Events"] if self._name in event["Resources"]]
            self._begun = {id: at for id, at in self._begun.items() if id in {event["EventId"] for event in events}}
            notices = [self._notice(event) for event in events]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise OSError(f"instance metadata: unexpected response: {error!r}") from None
        yield from sorted(notices, key=lambda notice: (notice.kind is not NoticeKind.SPOT, notice.at))

    def _notice(self, event: Mapping[str, Any]) -> Notice:
        if event["NotBefore"]:
            at = float(timegm(time.strptime(event["NotBefore"], "%a, %d %b %Y %H:%M:%S GMT")))
        else:
            at = self._begun.setdefault(event["EventId"], self._clock())
        kind = KINDS.get(event["EventType"], NoticeKind.MAINTENANCE)
        if kind is NoticeKind.SPOT:
            return Notice(kind=kind, at=at, words=f"spot notice: the machine ends at {_show(at, '%H:%M:%S')}")
        what = "pause of a few seconds" if kind is NoticeKind.PAUSE else "maintenance"
        return Notice(kind=kind, at=at, words=f"{what}, {event['EventType']} at {_show(at, '%Y-%m-%d %H:%M')}")


def _show(at: float, form: str) -> str:
    return time.strftime(form, time.localtime(at))
