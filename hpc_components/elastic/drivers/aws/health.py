"""Finds machines that EC2 reports as impaired or plans to stop, reboot or retire."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from hpc_components.elastic.drivers.aws.api import Api
from hpc_components.elastic.drivers.contract import LaunchError
from hpc_components.elastic.model import Instance

LOOK_SECONDS = 60.0
"""Seconds between two checks. Each check looks for a single kind of problem, because EC2 filters can't be combined
with "or"."""

IMPAIRED_SECONDS = 180.0
"""Seconds that a machine must be impaired before it is considered broken. A busy machine may be impaired for a
minute."""

EVENTS = ("instance-reboot", "instance-retirement", "instance-stop", "system-maintenance", "system-reboot")
LOOKS: Sequence[tuple[str, Sequence[str]]] = (
    ("event.code", EVENTS),
    ("system-status.status", ("impaired",)),
    ("instance-status.status", ("impaired",)),
)
OVER = ("[Canceled]", "[Completed]")
"""Description prefixes of finished events, which EC2 keeps listing for a week. Source: EC2 API reference."""

log = logging.getLogger(__name__)


class Health:
    """Runs one check per minute, looking for a different kind of problem each time."""

    def __init__(self, api: Api, clock: Callable[[], float], running: Callable[[], float]) -> None:
        self._api, self._clock, self._running = api, clock, running
        self._turn, self._next = 0, running()
        self._seen: list[Mapping[str, str]] = [{} for _ in LOOKS]

    def told(self, instances: Sequence[Instance]) -> Sequence[Instance]:
        """Return `instances`, with `failing` set for machines that have a problem."""
        if (now := self._running()) >= self._next:
            self._next = now + LOOK_SECONDS
            self._look(self._clock())
        words = {name: text for seen in self._seen for name, text in seen.items()}
        return [replace(each, failing=words[each.id]) if each.id in words else each for each in instances]

    def _look(self, now: float) -> None:
        turn, self._turn = self._turn, (self._turn + 1) % len(LOOKS)
        name, values = LOOKS[turn]
        look = [{"Name": name, "Values": list(values)}]
        try:
            pages = self._api.pages("DescribeInstanceStatus", Filters=look, MaxResults=1000)
            statuses = [status for page in pages for status in page["InstanceStatuses"]]
        except (BotoCoreError, ClientError, LaunchError) as error:
            log.warning("can't get the list of impaired machines from EC2: %s", error)
            return
        self._seen[turn] = {status["InstanceId"]: text for status in statuses for text in _troubles(status, now)}


def _troubles(status: Mapping[str, Any], now: float) -> Iterator[str]:
    for event in status.get("Events", ()):
        if not event.get("Description", "").startswith(OVER):
            yield f"EC2 has scheduled {event['Code']} for {event['NotBefore']:%Y-%m-%d %H:%M} UTC"
    for kind in ("InstanceStatus", "SystemStatus"):
        for check in status.get(kind, {}).get("Details", ()):
            since = check.get("ImpairedSince")
            if since is not None and now - since.timestamp() > IMPAIRED_SECONDS:
                yield (
                    f"EC2 has reported the machine as impaired since {since:%Y-%m-%d %H:%M} UTC ({kind}, "
                    f"{check['Name']})"
                )
