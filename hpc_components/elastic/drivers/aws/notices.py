"""Reads EC2's notices about this machine (spot interruptions, rebalance recommendations, maintenance) from the
instance metadata service, using a token (IMDSv2).

Source: EC2 user guide, "Spot Instance interruption notices", "EC2 instance rebalance recommendations", "View
scheduled events for your EC2 instances", "Use the Instance Metadata Service".
"""

import http.client
import json
import os
import time
from calendar import timegm
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from hpc_components.elastic.drivers.contract import Notice, NoticeKind

ADDRESS = "http://169.254.169.254"

TOKEN_SECONDS = 21600
"""Token lifetime in seconds, set to the maximum."""
ANSWER_SECONDS = 2.0
"""Timeout in seconds. The service is local to the machine, so it responds quickly or not at all."""


def notice_source() -> "MetadataNotices":
    """Return the notice source, as defined in `contract`. The environment variable IMDS overrides the service's
    address.
    """
    return MetadataNotices(InstanceMetadata(os.environ.get("IMDS", ADDRESS)))


class InstanceMetadata:
    def __init__(self, base: str) -> None:
        parts = urlsplit(base)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"IMDS: {base!r} is not an address; write one like http://169.254.169.254")
        self.address = base
        self._host, self._port = parts.hostname, parts.port or 80
        self._token = ""

    def read(self, topic: str) -> str | None:
        """Return the text of a topic, or None if the topic does not exist.

        Raise OSError if the service does not respond or returns an error.
        """
        if not self._token:
            self._renew()
        status, text = self._get(topic)
        if status == http.client.UNAUTHORIZED:  # the token has expired
            self._renew()
            status, text = self._get(topic)
        if status == http.client.NOT_FOUND:
            return None
        if status != http.client.OK:
            raise OSError(f"instance metadata: {topic}: HTTP {status}")
        return text

    def _get(self, topic: str) -> tuple[int, str]:
        return self._request("GET", f"/latest/meta-data/{topic}", {"X-aws-ec2-metadata-token": self._token})

    def _renew(self) -> None:
        ttl = {"X-aws-ec2-metadata-token-ttl-seconds": str(TOKEN_SECONDS)}
        status, self._token = self._request("PUT", "/latest/api/token", ttl)
        if status != http.client.OK:
            self._token = ""
            raise OSError(f"instance metadata: can't get a token: HTTP {status}")

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


class MetadataNotices:
    """A `NoticeSource` that reads the metadata service."""

    def __init__(self, metadata: InstanceMetadata) -> None:
        self._metadata = metadata

    @property
    def address(self) -> str:
        return self._metadata.address

    def read(self) -> Iterator[Notice]:
        try:
            yield from self._read()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise OSError(f"instance metadata: unexpected response: {error!r}") from None

    def _read(self) -> Iterator[Notice]:
        if text := self._metadata.read("spot/instance-action"):
            at = _iso(json.loads(text)["time"])
            yield Notice(
                kind=NoticeKind.SPOT, at=at, words=f"spot notice: the machine ends at {_show(at, '%H:%M:%S')}"
            )
        if text := self._metadata.read("events/maintenance/scheduled"):
            yield from (_maintenance(event) for event in json.loads(text) if event.get("State", "active") == "active")
        if text := self._metadata.read("events/recommendations/rebalance"):
            at = _iso(json.loads(text)["noticeTime"])
            yield Notice(kind=NoticeKind.REBALANCE, at=at, words="EC2 may reclaim this spot machine soon")


def _maintenance(event: dict[str, Any]) -> Notice:
    at = float(timegm(time.strptime(event["NotBefore"], "%d %b %Y %H:%M:%S GMT")))
    when = _show(at, "%Y-%m-%d %H:%M")
    return Notice(kind=NoticeKind.MAINTENANCE, at=at, words=f"maintenance scheduled: {event['Code']} at {when}")


def _iso(text: str) -> float:
    return float(timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")))


def _show(at: float, form: str) -> str:
    return time.strftime(form, time.localtime(at))
