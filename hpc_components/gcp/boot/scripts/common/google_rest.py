"""How a node asks Google Cloud: its own metadata, tokens of its service account, and services that take such a token.

Runs with the Python of the system, 3.10 at least, and needs nothing else.
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
"""Attempts of a call; the pauses between them grow to 16 seconds, 47 seconds in all."""

PASSING = (408, 429, 500, 502, 503, 504)
"""HTTP status of what may succeed a little later. Source: Cloud Storage, "Retry strategy"; Google's AIP-194."""

PASSING_METADATA = (404, 429, 500, 503)
"""The same of the metadata server, which is moved and updated with its host."""

RIGHTS_SECONDS = 420
"""How long a new permission takes to be known everywhere. Source: IAM, "Access change propagation": two minutes as a
rule, seven or more sometimes."""


class AskError(Exception):
    """A call that was not done: one line says which and why."""

    def __init__(self, call: str, status: int, why: str, code: str = "") -> None:
        super().__init__(f"{call}: {why}")
        self.status = status
        """Of HTTP; 0 without an answer."""
        self.code = code
        """Google's own word for it, as `NOT_FOUND`."""


def metadata(path: str) -> bytes:
    """What the metadata server answers. AskError."""
    request = urllib.request.Request(f"{IMDS}/computeMetadata/v1/{path}", headers={"Metadata-Flavor": "Google"})
    return _answer(_direct(), request, PASSING_METADATA, anew=False)


@cache
def here() -> Mapping[str, Any]:
    """What the metadata server says of this machine. AskError."""
    return json.loads(metadata("instance/?recursive=true"))


@cache
def project() -> str:
    """Id of the project that this machine is in. AskError."""
    return metadata("project/project-id").decode().strip()


def attribute(key: str) -> str:
    """The machine's own metadata; empty if it has none of that key."""
    return here()["attributes"].get(key, "")


def token() -> str:
    """A token of the node's own service account. The metadata server keeps it, and renews it in time. AskError."""
    return json.loads(metadata("instance/service-accounts/default/token"))["access_token"]


def service(name: str) -> str:
    """Address of a service; the environment's GOOGLEAPIS stands for all of them."""
    return os.environ.get("GOOGLEAPIS") or f"https://{name}.googleapis.com"


def ask(method: str, url: str, *, body: Any = None, tries: int = TRIES) -> bytes:
    """Call a service and return its answer. `body` is sent as JSON. AskError."""
    headers = {"Authorization": f"Bearer {token()}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    return _answer(_opener(), request, PASSING, anew=True, tries=tries)


def when_allowed(call: Callable[[], T], seconds: float = RIGHTS_SECONDS) -> T:
    """What the call returns; where it is forbidden, it may be allowed later. AskError."""
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
    """For the metadata service, which no proxy reaches."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


@cache
def _opener() -> urllib.request.OpenerDirector:
    """For services. It reads the system's certificates, which takes longer than a call."""
    return urllib.request.build_opener()


def _answer(
    opener: urllib.request.OpenerDirector,
    request: urllib.request.Request,
    passing: tuple[int, ...],
    *,
    anew: bool,
    tries: int = TRIES,
) -> bytes:
    """The answer. A failure that passes is waited for; where `anew` says so, a server that can't be reached too."""
    call = f"{request.get_method()} {request.full_url.partition('?')[0]}"
    for attempt in range(1, tries + 1):
        try:
            with opener.open(request, timeout=30) as reply:
                return reply.read()
        except urllib.error.HTTPError as error:
            code, said = _said(error)
            failed, again = AskError(call, error.code, said, code), error.code in passing
        except (OSError, http.client.HTTPException) as error:  # the latter where an answer is cut off
            failed, again = AskError(call, 0, str(getattr(error, "reason", error))), anew
        if not again or attempt == tries:
            raise failed
        time.sleep(min(2 ** (attempt - 1), 16))
    raise AssertionError("unreachable")


def _said(error: urllib.error.HTTPError) -> tuple[str, str]:
    """Google's word for an error, and all of it as one line."""
    text, code = error.read().decode(errors="replace"), ""
    try:
        told = json.loads(text)["error"]
        code = told.get("status", "")
        said = f"{code}: {told['message']}" if code else told["message"]
    except (ValueError, KeyError, TypeError, AttributeError):
        said = text
    return code, " ".join(f"HTTP {error.code}: {said or error.reason}".split())[:400]
