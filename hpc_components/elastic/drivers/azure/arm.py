import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from hpc_components.elastic.drivers.azure.errors import ArmError
from hpc_components.elastic.drivers.azure.identity import Tokens
from hpc_components.elastic.drivers.http import Send
from hpc_components.elastic.drivers.instance_metadata import Authorized
from hpc_components.elastic.drivers.pace import Pace

API_VERSION = "2024-11-01"
"""Default API version of Microsoft.Compute. Scale sets have ETags from version 2024-03-01 on."""
STORAGE_VERSION = "2021-08-06"
STORAGE = "https://storage.azure.com/"
"""Resource that tokens for blob access are issued for."""

CHANGES, DELETIONS, INSTANCES, SETS = "changes", "deletions", "instances", "scale sets"
ONE_SET, OPERATIONS = "scale set", "operations"
LIMITS = {
    CHANGES: (8.0, 4 / 60),
    DELETIONS: (8.0, 4 / 60),
    INSTANCES: (20.0, 10 / 60),
    SETS: (720.0, 6.0),
    ONE_SET: (24.0, 12 / 60),
    OPERATIONS: (30.0, 15 / 60),
}
"""Burst size and requests per second for each bucket, in order: changes of a scale set, deletions in a scale set,
lists of a scale set's machines, all such lists in the subscription, reads of a scale set, and reads of a scale set's
operations. Azure's buckets hold 12, 12, 30, 1,080, 36 and 45 requests but are refilled only once a minute. Our
smaller bursts ensure that no request exceeds Azure's limits. Source: Azure Virtual Machines, "Compute throttling
limits" (Update, Delete scale set VMs, High and Low Cost Get, Get Operation), azure-compute-docs at 1a043fb3, read
2026-11-24."""
OTHER = (1600.0, 800 / 60)
"""Limits for all other calls, such as reads of single machines, which Azure counts separately."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: int
    """HTTP status, which is 202 while an operation is in progress."""
    headers: Mapping[str, str]
    """Headers, keyed by lowercase name."""
    document: Any


class Arm:
    """Azure Resource Manager at `base`, e.g. `https://management.azure.com`. Thread-safe.

    All calls raise ArmError if Azure returns an error, ThrottledError while calls are paused after throttling, and
    OSError if there is no response.
    """

    def __init__(self, base: str, tokens: Tokens, send: Send, pace: Pace) -> None:
        self.base = base
        self.pace = pace
        self._door = Authorized(tokens, send, f"{base}/")

    def get(self, place: str, *, bucket: str = "machine", version: str = API_VERSION, **query: str) -> Reply:
        """Read a resource. `place` is its id or a URL from an earlier response."""
        return self._call("GET", self._url(place, version, query), bucket, {}, None)

    def change(
        self,
        method: str,
        place: str,
        document: Any,
        *,
        bucket: str,
        etag: str = "",
        version: str = API_VERSION,
        **query: str,
    ) -> Reply:
        """Send a PUT, PATCH, POST or DELETE request.

        If `etag` is given, the request succeeds only if the resource still has that ETag.
        """
        headers = {"If-Match": etag} if etag else {}
        return self._call(method, self._url(place, version, query), bucket, headers, document)

    def pages(self, place: str, *, bucket: str, **query: str) -> Iterator[Mapping[str, Any]]:
        told = self.get(place, bucket=bucket, **query).document
        while True:
            yield from told["value"]
            if not told.get("nextLink"):
                return
            told = self.get(told["nextLink"], bucket=bucket).document

    def is_own(self, url: str) -> bool:
        """Return whether `url` belongs to Azure Resource Manager. Our token must not be sent anywhere else.

        A default port in the URL makes no difference, because Azure adds the port to links to further pages, e.g.
        `https://management.azure.com:443/...`.
        """
        return _server(url) == _server(self.base)

    def _url(self, place: str, version: str, query: Mapping[str, str]) -> str:
        if not place.startswith("/"):
            if not self.is_own(place):
                raise OSError(f"Azure's response contains a link to another server, which was not followed: {place}")
            return place.replace(" ", "%20")  # links repeat our filters, sometimes with unescaped spaces
        more = "".join(f"&{name}={quote(value, safe='')}" for name, value in query.items())
        return f"{self.base}{place}?api-version={version}{more}"

    def _call(self, method: str, url: str, bucket: str, headers: Mapping[str, str], document: Any) -> Reply:
        self.pace.take(bucket)
        body = b"" if document is None else json.dumps(document).encode()
        answer = self._door.send(method, url, {**headers, "Content-Type": "application/json"}, body)
        if answer.status >= 400:
            error = ArmError.of(answer)
            if error.throttled:
                self.pace.throttled(bucket, error.seconds)
            raise error
        self.pace.answered(bucket)
        try:
            told = json.loads(answer.body) if answer.body else None
        except ValueError as error:
            raise OSError(f"Azure's response is not valid JSON: {error}") from None
        return Reply(status=answer.status, headers=answer.headers, document=told)


def _server(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


class OutdatedError(Exception):
    """A blob has changed since it was read."""


class Container:
    """A blob container at `base`, e.g. `https://account.blob.core.windows.net/nodes`."""

    def __init__(self, base: str, tokens: Tokens, send: Send) -> None:
        self._base = base
        self._door = Authorized(tokens, send, STORAGE)

    def get(self, name: str) -> tuple[bytes, str]:
        """Return a blob and its ETag. Both are empty if the blob does not exist."""
        answer = self._door.send("GET", f"{self._base}/{name}", {"x-ms-version": STORAGE_VERSION}, b"")
        if answer.status == 404 and answer.headers.get("x-ms-error-code") == "BlobNotFound":
            return b"", ""
        if answer.status >= 400:
            raise ArmError.of(answer)
        return answer.body, answer.headers["etag"]

    def put(self, name: str, body: bytes, etag: str) -> str:
        """Replace the blob if its ETag is still `etag`, or create it if `etag` is empty. Return the new ETag.

        Raise OutdatedError if the blob has changed or, with an empty `etag`, already exists.
        """
        condition = {"If-Match": etag} if etag else {"If-None-Match": "*"}
        headers = {"x-ms-version": STORAGE_VERSION, "x-ms-blob-type": "BlockBlob", "Content-Type": "application/json"}
        answer = self._door.send("PUT", f"{self._base}/{name}", headers | condition, body)
        if answer.status == 412 or answer.headers.get("x-ms-error-code") == "BlobAlreadyExists":
            raise OutdatedError(name)
        if answer.status >= 400:
            raise ArmError.of(answer)
        return answer.headers["etag"]
