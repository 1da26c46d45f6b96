"""What EC2 tells a machine about its own end: instance metadata, read with a token (IMDSv2).

Source: EC2 user guide, "Spot Instance interruption notices", "EC2 instance rebalance recommendations",
"View scheduled events for your EC2 instances", "Use the Instance Metadata Service".
"""

import http.client
import json
import time
from calendar import timegm
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

__all__ = ["Metadata", "Notice", "NoticeKind", "read_notices"]

TOKEN_SECONDS = 21600
"""Life of a token, the longest there is."""
ANSWER_SECONDS = 2.0
"""The service answers from the machine itself, or not at all."""


class NoticeKind(Enum):
    """What is going to happen."""

    SPOT = "spot"  # the machine is taken away in two minutes
    MAINTENANCE = "maintenance"  # it is stopped, rebooted or retired at a given time
    REBALANCE = "rebalance"  # it may be taken away soon, or not


@dataclass(frozen=True, kw_only=True)
class Notice:
    """One thing that the cloud announces."""

    kind: NoticeKind
    """What."""
    at: float
    """When, seconds of the epoch."""
    words: str
    """For people, in the machine's own time zone."""


class Metadata:
    """The instance metadata service at a base address such as `http://169.254.169.254`."""

    def __init__(self, base: str) -> None:
        parts = urlsplit(base)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"IMDS: {base!r} is no address such as http://169.254.169.254")
        self._host, self._port = parts.hostname, parts.port or 80
        self._token = ""

    def read(self, topic: str) -> str | None:
        """The text of a topic, None if there is nothing. OSError if the service does not answer."""
        if not self._token:
            self._renew()
        status, text = self._request("GET", f"/latest/meta-data/{topic}", {"X-aws-ec2-metadata-token": self._token})
        if status == http.client.UNAUTHORIZED:  # the token is too old
            self._renew()
            status, text = self._request(
                "GET", f"/latest/meta-data/{topic}", {"X-aws-ec2-metadata-token": self._token}
            )
        if status == http.client.NOT_FOUND:
            return None
        if status != http.client.OK:
            raise OSError(f"instance metadata: {topic}: HTTP {status}")
        return text

    def _renew(self) -> None:
        ttl = {"X-aws-ec2-metadata-token-ttl-seconds": str(TOKEN_SECONDS)}
        status, self._token = self._request("PUT", "/latest/api/token", ttl)
        if status != http.client.OK:
            self._token = ""
            raise OSError(f"instance metadata: no token: HTTP {status}")

    def _request(self, method: str, path: str, headers: dict[str, str]) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=ANSWER_SECONDS)
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            return response.status, response.read().decode(errors="replace")
        except http.client.HTTPException as error:
            raise OSError(f"instance metadata: {error!r}") from None
        finally:
            connection.close()


def read_notices(metadata: Metadata) -> Iterator[Notice]:
    """What stands against the machine now. OSError if the service does not answer or not as it should."""
    try:
        yield from _read(metadata)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OSError(f"instance metadata: not understood: {error!r}") from None


def _read(metadata: Metadata) -> Iterator[Notice]:
    if text := metadata.read("spot/instance-action"):
        at = _iso(json.loads(text)["time"])
        yield Notice(kind=NoticeKind.SPOT, at=at, words=f"spot notice, ends {_show(at, '%H:%M:%S')}")
    if text := metadata.read("events/maintenance/scheduled"):
        yield from (_maintenance(event) for event in json.loads(text) if event.get("State", "active") == "active")
    if text := metadata.read("events/recommendations/rebalance"):
        at = _iso(json.loads(text)["noticeTime"])
        yield Notice(kind=NoticeKind.REBALANCE, at=at, words="EC2 may take this spot machine away soon")


def _maintenance(event: dict[str, Any]) -> Notice:
    at = float(timegm(time.strptime(event["NotBefore"], "%d %b %Y %H:%M:%S GMT")))
    when = _show(at, "%Y-%m-%d %H:%M")
    return Notice(kind=NoticeKind.MAINTENANCE, at=at, words=f"maintenance, {event['Code']} at {when}")


def _iso(text: str) -> float:
    return float(timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")))


def _show(at: float, form: str) -> str:
    return time.strftime(form, time.localtime(at))
