"""Reads Azure's notices that this machine will end, which are scheduled events.

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
"""Maps events to notice kinds. Any other event (Reboot, Redeploy, Terminate) counts as maintenance: it ends the jobs
that have not finished by then.

A freeze usually takes less than ten seconds and preserves memory, files and connections. A drain would cost more,
because the node's other jobs may run for days. Machines with InfiniBand (series H and N) are not updated in this way.
Source: Azure Virtual Machines, "Maintenance for virtual machines in Azure". AKS does not drain for a freeze either,
unless configured to: "Node auto-drain".
"""


def notice_source() -> "ScheduledEvents":
    """Return the source, as defined in `contract`. The environment variable IMDS overrides the service's address."""
    return ScheduledEvents(Metadata(os.environ.get("IMDS", ADDRESS)))


class ScheduledEvents:
    """The events of this machine, as in `NoticeSource`.

    Azure also lists the events of all other machines in the scale set. It takes up to two minutes to answer a
    machine's first request; until then, `read` raises OSError.
    """

    def __init__(self, metadata: Metadata, clock: Callable[[], float] = time.time) -> None:
        self._metadata, self._clock = metadata, clock
        self._name = ""
        self._begun: dict[str, float] = {}
        """Maps each event that has started to the time at which that was first seen, because Azure no longer reports
        the event's time."""

    @property
    def address(self) -> str:
        """Address of the metadata service."""
        return self._metadata.address

    def read(self) -> Iterator[Notice]:
        """Yield the current notices, spot notices first. Raise OSError if the service does not answer as expected."""
        self._name = self._name or self._metadata.compute()["name"]
        text = self._metadata.read(TOPIC)
        try:
            events = [event for event in json.loads(text)["Events"] if self._name in event["Resources"]]
            self._begun = {id: at for id, at in self._begun.items() if id in {event["EventId"] for event in events}}
            notices = [self._notice(event) for event in events]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise OSError(f"instance metadata: unexpected answer: {error!r}") from None
        yield from sorted(notices, key=lambda notice: (notice.kind is not NoticeKind.SPOT, notice.at))

    def _notice(self, event: Mapping[str, Any]) -> Notice:
        if event["NotBefore"]:
            at = float(timegm(time.strptime(event["NotBefore"], "%a, %d %b %Y %H:%M:%S GMT")))
        else:
            at = self._begun.setdefault(event["EventId"], self._clock())
        kind = KINDS.get(event["EventType"], NoticeKind.MAINTENANCE)
        if kind is NoticeKind.SPOT:
            return Notice(kind=kind, at=at, words=f"spot notice, ends {_show(at, '%H:%M:%S')}")
        what = "pause of a few seconds" if kind is NoticeKind.PAUSE else "maintenance"
        return Notice(kind=kind, at=at, words=f"{what}, {event['EventType']} at {_show(at, '%Y-%m-%d %H:%M')}")


def _show(at: float, form: str) -> str:
    return time.strftime(form, time.localtime(at))
