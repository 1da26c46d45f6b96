"""Calls the Compute Engine API with single requests, lists and batches, and reads objects from Cloud Storage.

Source: Compute Engine documentation, "Batching API requests": a batch can contain up to 1,000 requests, all for the
same API version, and each gets a separate response.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from hpc_components.elastic.drivers.contract import ThrottledError
from hpc_components.elastic.drivers.gcp.errors import GceError
from hpc_components.elastic.drivers.gcp.identity import Tokens
from hpc_components.elastic.drivers.http import Answer, Send
from hpc_components.elastic.drivers.instance_metadata import Authorized
from hpc_components.elastic.drivers.pace import Pace

COMPUTE = "https://compute.googleapis.com"
STORAGE = "https://storage.googleapis.com"
V1, BETA = "v1", "beta"
"""API versions. Only the beta version supports a maximum distance between the machines of a placement policy. Source:
Google's discovery documents for Compute Engine, revision 20261106."""
BATCH = 1000
_BOUNDARY = re.compile(r'boundary="?([^";\s]+)')
_RESPONSE = re.compile(rb"Content-ID:\s*<response-(\d+)", re.IGNORECASE)

LIMITS: Mapping[str, tuple[float, float]] = {}
OTHER = (100.0, 20.0)
"""Burst size and calls per second for each kind of call. Google counts every request in a batch, allows 1,500 per
minute for most kinds, and rejects each excess request individually. Source: Compute Engine documentation, "Rate
quotas"."""


@dataclass(frozen=True, kw_only=True)
class Request:
    method: str
    path: str
    """Path relative to the project, e.g. `zones/us-central1-a/instances/cfd-cpu-1`."""
    query: Mapping[str, str] | None = None
    document: Any = None


class Compute:
    """The Compute Engine API at `base`, for one project. Thread-safe.

    All calls raise GceError if Google returns an error, ThrottledError while calls are paused after throttling, and
    OSError if there is no response.
    """

    def __init__(self, base: str, project: str, tokens: Tokens, send: Send, pace: Pace) -> None:
        self.project = project
        self._base, self._pace = base, pace
        self._door = Authorized(tokens, send)

    def all(self, requests: Sequence[Request], version: str = V1) -> list[Any | GceError]:
        """Send many requests in as few batches as possible. Return the document or the error for each request.

        Raise OSError if there is no response to a batch, in which case it is unknown which of its requests were
        received. Raise the error if Google rejects the first batch as a whole. If Google rejects a later batch,
        return the error for each request in that batch.
        """
        if len(requests) == 1:
            try:
                return [self.one(requests[0], version)]
            except GceError as error:
                return [error]
        told: list[Any | GceError] = []
        for start in range(0, len(requests), BATCH):
            some = requests[start : start + BATCH]
            try:
                told += self._batch(some, version)
            except (GceError, ThrottledError) as error:
                if not told:
                    raise
                told += [_as_answer(error)] * len(some)
        return told

    def one(self, request: Request, version: str = V1) -> Any:
        body = b"" if request.document is None else json.dumps(request.document).encode()
        url = f"{self._base}{self._target(request, version)}"
        answer = self._call(request.method, url, {"Content-Type": "application/json"}, body)
        return _document(answer)

    def pages(self, path: str, **query: str) -> Iterator[Mapping[str, Any]]:
        while True:
            page = self.one(Request(method="GET", path=path, query=query))
            yield page
            if not page.get("nextPageToken"):
                return
            query["pageToken"] = page["nextPageToken"]

    def _target(self, request: Request, version: str) -> str:
        query = f"?{urlencode(request.query, quote_via=quote)}" if request.query else ""
        return f"/compute/{version}/projects/{self.project}/{request.path}{query}"

    def _batch(self, requests: Sequence[Request], version: str) -> list[Any | GceError]:
        boundary = "hpc-elastic-part"
        parts = [
            b"--%s\r\n%s" % (boundary.encode(), self._part(number, request, version))
            for number, request in enumerate(requests)
        ]
        body = b"\r\n".join((*parts, f"--{boundary}--\r\n".encode()))
        headers = {"Content-Type": f"multipart/mixed; boundary={boundary}"}
        answer = self._call("POST", f"{self._base}/batch/compute/{version}", headers, body)
        told: dict[int, Any | GceError] = {}
        for number, part in _parts(answer):
            try:
                told[number] = _document(part) if part.status < 400 else GceError.of(part)
            except OSError:
                continue
        if missing := [number for number in range(len(requests)) if number not in told]:
            raise OSError(f"Google Cloud did not respond to {len(missing)} of {len(requests)} requests in a batch")
        return [told[number] for number in range(len(requests))]

    def _part(self, number: int, request: Request, version: str) -> bytes:
        head = f"Content-Type: application/http\r\nContent-ID: <{number}>\r\n\r\n"
        line = f"{request.method} {self._target(request, version)} HTTP/1.1\r\n"
        if request.document is None:
            return f"{head}{line}\r\n".encode()
        body = json.dumps(request.document)  # ASCII only, so the length is the number of bytes
        return f"{head}{line}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()

    def _call(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        self._pace.take(method)
        answer = self._door.send(method, url, headers, body)
        if answer.status >= 400:
            error = GceError.of(answer)
            if error.throttled:
                self._pace.throttled(method, error.seconds)
            raise error
        self._pace.answered(method)
        return answer


class Bucket:
    """A Cloud Storage bucket. Calls raise GceError if Google returns an error, and OSError if there is no
    response.
    """

    def __init__(self, base: str, name: str, tokens: Tokens, send: Send) -> None:
        self.name = name
        self._base = base
        self._door = Authorized(tokens, send)

    def read(self, key: str, generation: str = "") -> tuple[bytes, str] | None:
        """Return the content and generation of an object, or None if its current generation is `generation`."""
        query = f"?alt=media&ifGenerationNotMatch={generation}" if generation else "?alt=media"
        answer = self._door.send("GET", self._url(key) + query, {}, b"")
        if answer.status == 304:
            return None
        if answer.status != 200:
            raise GceError.of(answer)
        return answer.body, answer.headers.get("x-goog-generation", "")

    def has(self, key: str) -> bool:
        answer = self._door.send("GET", self._url(key), {}, b"")
        if answer.status not in (200, 404):
            raise GceError.of(answer)
        return answer.status == 200

    def _url(self, key: str) -> str:
        return f"{self._base}/storage/v1/b/{self.name}/o/{quote(key, safe='')}"


def _as_answer(error: GceError | ThrottledError) -> GceError:
    return error if isinstance(error, GceError) else GceError(429, [("rateLimitExceeded", str(error))])


def _document(answer: Answer) -> Any:
    try:
        return json.loads(answer.body) if answer.body.strip() else {}
    except ValueError as error:
        raise OSError(f"malformed response from Google Cloud: {error}") from None


def _parts(answer: Answer) -> Iterator[tuple[int, Answer]]:
    """Yield (request number, response) for each part of a batch response.

    The standard module `email` is not used, because it would take ten times as long to parse the parts.
    """
    boundary = _BOUNDARY.search(answer.headers.get("content-type", ""))
    for part in answer.body.split(f"--{boundary[1]}".encode())[1:] if boundary else ():
        head, _, rest = part.partition(b"\r\n\r\n")
        if number := _RESPONSE.search(head):
            yield int(number[1]), _answer_in(rest)


def _answer_in(text: bytes) -> Answer:
    head, _, body = text.partition(b"\r\n\r\n")
    first, *lines = head.decode(errors="replace").split("\r\n")
    fields = (line.partition(":") for line in lines)
    status = first.split()[1:2]
    return Answer(
        status=int(status[0]) if status and status[0].isdigit() else 500,
        headers={name.strip().lower(): value.strip() for name, _, value in fields},
        body=body,
    )
