"""Requests a node's metadata and its service account's tokens, and calls Google Cloud's services with these tokens.

Needs only the system's Python, version 3.10 or later.
"""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

IMDS = os.environ.get("IMDS", "http://169.254.169.254")

TRIES = 8
"""Maximum number of attempts at a call. The pauses between them grow to 16 seconds and add up to 47 seconds."""

PASSING = (408, 429, 500, 502, 503, 504)
"""HTTP status codes after which to retry. Source: Cloud Storage, "Retry strategy"; Google's AIP-194."""

PASSING_METADATA = (404, 429, 500, 503)
"""HTTP status codes after which to retry a request to the metadata server, which moves and updates with its host."""

RIGHTS_SECONDS = 420
"""How long to wait for a new permission to take effect. Source: IAM, "Access change propagation": two minutes as a
rule, seven or more sometimes."""


class AskError(Exception):
    """A call that failed. The message is one line that says which call, and why."""

    def __init__(self, call: str, status: int, why: str, code: str = "") -> None:
        super().__init__(f"{call}: {why}")
        self.status = status
        """HTTP status, or 0 if there was no response."""
        self.code = code
        """Google's error code, e.g. `NOT_FOUND`."""


def metadata(path: str) -> bytes:
    """Return the metadata server's response. Raise AskError if the request fails."""
    request = urllib.request.Request(f"{IMDS}/computeMetadata/v1/{path}", headers={"Metadata-Flavor": "Google"})
    return _answer(_direct(), request, PASSING_METADATA, anew=False)


@cache
def here() -> Mapping[str, Any]:
    """Return the metadata server's facts about this machine. Raise AskError if the request fails."""
    return json.loads(metadata("instance/?recursive=true"))


@cache
def project() -> str:
    """Return the id of the project that this machine is in. Raise AskError if the request fails."""
    return metadata("project/project-id").decode().strip()


def attribute(key: str) -> str:
    """Return the value of the machine's custom metadata, or "" if it has none for this key."""
    return here()["attributes"].get(key, "")


def token() -> str:
    """Return a token of the node's own service account. Raise AskError if the request fails.

    The metadata server caches the token, and renews it in time.
    """
    return json.loads(metadata("instance/service-accounts/default/token"))["access_token"]


def service(name: str) -> str:
    """Return a service's base URL. The environment variable GOOGLEAPIS overrides the URLs of all services."""
    return os.environ.get("GOOGLEAPIS") or f"https://{name}.googleapis.com"


def ask(method: str, url: str, *, body: Any = None, tries: int = TRIES) -> bytes:
    """Call a service and return its response. `body` is sent as JSON. Raise AskError if the call fails."""
    headers = {"Authorization": f"Bearer {token()}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    return _answer(_opener(), request, PASSING, anew=True, tries=tries)


def when_allowed(call: Callable[[], T], seconds: float = RIGHTS_SECONDS) -> T:
    """Return the result of a call. While it is forbidden, retry for `seconds`. Raise AskError if it fails."""
    until = time.monotonic() + seconds
    while True:
        try:
            return call()
        except AskError as error:
            if error.status != 403 or time.monotonic() >= until:
                raise
        time.sleep(5)


@cache
def _direct() -> urllib.request.OpenerDirector:
    """Return the opener for the metadata server, which can't be reached through a proxy."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


@cache
def _opener() -> urllib.request.OpenerDirector:
    """Return the opener for services. Creating it reads the system's certificates, which takes longer than a call."""
    return urllib.request.build_opener()


def _answer(
    opener: urllib.request.OpenerDirector,
    request: urllib.request.Request,
    passing: tuple[int, ...],
    *,
    anew: bool,
    tries: int = TRIES,
) -> bytes:
    """Return the response. Retry after a status in `passing` and, with `anew`, if the server can't be reached."""
    call = f"{request.get_method()} {request.full_url.partition('?')[0]}"
    for attempt in range(1, tries + 1):
        try:
            with opener.open(request, timeout=30) as reply:
                return reply.read()
        except urllib.error.HTTPError as error:
            code, said = _said(error)
            failed, again = AskError(call, error.code, said, code), error.code in passing
        except (OSError, http.client.HTTPException) as error:  # HTTPException if a response is cut off
            failed, again = AskError(call, 0, str(getattr(error, "reason", error))), anew
        if not again or attempt == tries:
            raise failed
        time.sleep(min(2 ** (attempt - 1), 16))
    raise AssertionError("unreachable")


def _said(error: urllib.error.HTTPError) -> tuple[str, str]:
    """Return Google's code for an error, and the whole error as one line."""
    text, code = error.read().decode(errors="replace"), ""
    try:
        told = json.loads(text)["error"]
        code = told.get("status", "")
        said = f"{code}: {told['message']}" if code else told["message"]
    except (ValueError, KeyError, TypeError, AttributeError):
        said = text
    return code, " ".join(f"HTTP {error.code}: {said or error.reason}".split())[:400]
