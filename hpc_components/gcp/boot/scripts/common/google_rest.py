"""Requests the node's metadata and service account tokens, and calls Google Cloud's APIs with these tokens.

Needs only the system's Python, version 3.9 or later.
"""

from __future__ import annotations  # for Python 3.9 of Red Hat Enterprise Linux 9, until a node has a newer one

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
"""Maximum number of attempts per call. The pauses between attempts double up to 16 seconds, and add up to 63
seconds."""

PASSING = (408, 429, 500, 502, 503, 504)
"""HTTP status codes that lead to a retry. Source: Cloud Storage, "Retry strategy"; Google's AIP-194."""

PASSING_METADATA = (404, 429, 500, 503)
"""HTTP status codes that lead to a retry of a metadata request. They occur while the host is migrated or updated."""

RIGHTS_SECONDS = 420
"""How long to wait for a new permission to take effect. Source: IAM, "Access change propagation": usually two
minutes, sometimes seven or more."""


class AskError(Exception):
    """A failed call. The message is a single line with the call and the reason."""

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
    """Return the id of this machine's project. Raise AskError if the request fails."""
    return metadata("project/project-id").decode().strip()


def attribute(key: str) -> str:
    """Return the value of a custom metadata key, or "" if this machine does not have the key."""
    return here()["attributes"].get(key, "")


def token() -> str:
    """Return an access token for the node's service account. Raise AskError if the request fails.

    The metadata server caches the token and renews it before it expires.
    """
    return json.loads(metadata("instance/service-accounts/default/token"))["access_token"]


def service(name: str) -> str:
    """Return a service's base URL. The environment variable GOOGLEAPIS overrides the base URL of every service."""
    return os.environ.get("GOOGLEAPIS") or f"https://{name}.googleapis.com"


def ask(method: str, url: str, *, body: Any = None, tries: int = TRIES) -> bytes:
    """Call a service and return the response. `body` is sent as JSON; if it is bytes, it is sent unchanged. Raise
    AskError if the call fails.
    """
    headers = {"Authorization": f"Bearer {token()}"}
    data: bytes | None = body
    if isinstance(body, bytes):
        headers["Content-Type"] = "application/octet-stream"
    elif body is not None:
        headers["Content-Type"] = "application/json"
        data = json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    return _answer(_opener(), request, PASSING, anew=True, tries=tries)


def when_allowed(call: Callable[[], T], seconds: float = RIGHTS_SECONDS) -> T:
    """Return the result of `call`. While the response is 403, retry for up to `seconds`. Raise AskError if the call
    fails.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            return call()
        except AskError as error:
            if error.status != 403 or time.monotonic() >= until:
                raise
        time.sleep(5)


def awaited(call: Callable[[], T | None], seconds: float) -> T | None:
    """Return the result of `call`, waiting up to `seconds` until it is not None. Raise AskError if the call fails."""
    until = time.monotonic() + seconds
    while (found := when_allowed(call, min(seconds, RIGHTS_SECONDS))) is None:
        if time.monotonic() >= until:
            return None
        time.sleep(2)
    return found


@cache
def _direct() -> urllib.request.OpenerDirector:
    """Return the opener for the metadata server, which must be contacted without a proxy."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


@cache
def _opener() -> urllib.request.OpenerDirector:
    """Return the opener for services. It is cached because loading the system's certificates takes longer than a
    call.
    """
    return urllib.request.build_opener()


def _answer(
    opener: urllib.request.OpenerDirector,
    request: urllib.request.Request,
    passing: tuple[int, ...],
    *,
    anew: bool,
    tries: int = TRIES,
) -> bytes:
    """Send a request and return the response. Retry after a status code in `passing` and, if `anew` is set, when the
    server is unreachable. Raise AskError if the request fails.
    """
    call = f"{request.get_method()} {request.full_url.partition('?')[0]}"
    for attempt in range(1, tries + 1):
        try:
            with opener.open(request, timeout=30) as reply:
                return reply.read()
        except urllib.error.HTTPError as error:
            code, said = _said(error)
            failed, again = AskError(call, error.code, said, code), error.code in passing
        except (OSError, http.client.HTTPException) as error:  # HTTPException: the response was cut off
            failed, again = AskError(call, 0, str(getattr(error, "reason", error))), anew
        if not again or attempt == tries:
            raise failed
        time.sleep(min(2 ** (attempt - 1), 16))
    raise AssertionError("unreachable")


def _said(error: urllib.error.HTTPError) -> tuple[str, str]:
    """Return Google's error code, and a one-line description of the error."""
    text, code = error.read().decode(errors="replace"), ""
    try:
        told = json.loads(text)["error"]
        code = told.get("status", "")
        said = f"{code}: {told['message']}" if code else told["message"]
    except (ValueError, KeyError, TypeError, AttributeError):
        said = text
    return code, " ".join(f"HTTP {error.code}: {said or error.reason}".split())[:400]
