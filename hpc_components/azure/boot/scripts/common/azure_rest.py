"""Queries a node's metadata, requests tokens for its identity, and calls Azure services that accept these tokens.

Runs with the system's Python (3.9 or later) and has no other dependencies.
"""

from __future__ import annotations  # for Python 3.9 of Red Hat Enterprise Linux 9, until a node has a newer one

import http.client
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

IMDS = os.environ.get("IMDS", "http://169.254.169.254")

STORAGE = "https://storage.azure.com/"
"""Audience of tokens for Blob Storage. It is the same in all of Azure's clouds."""

TRIES = 8
"""Number of attempts per call. The pauses between them grow to 16 seconds and add up to 47 seconds."""

PASSING = (408, 429, 500, 502, 503, 504)
"""HTTP statuses after which a retry may succeed. Source: Azure Architecture, "Retry guidance for Azure services"."""

PASSING_METADATA = (404, 410, 429, 500)
"""HTTP statuses of the metadata service after which a retry may succeed. The service fails briefly while it is being
updated. Source: Managed identities, "How to use managed identities on an Azure VM to acquire an access token", Retry
guidance."""


@dataclass(frozen=True)
class Domains:
    storage: str
    vault: str
    monitor: str


PUBLIC = Domains("core.windows.net", "vault.azure.net", "monitor.azure.com")
DOMAINS = {
    "AzureUSGovernmentCloud": Domains("core.usgovcloudapi.net", "vault.usgovcloudapi.net", "monitor.azure.us"),
    "AzureChinaCloud": Domains("core.chinacloudapi.cn", "vault.azure.cn", "monitor.azure.cn"),
}


class AskError(Exception):
    """Raised when a call fails. The message is a single line that contains the call and the reason."""

    def __init__(self, call: str, status: int, why: str) -> None:
        super().__init__(f"{call}: {why}")
        self.status = status
        """HTTP status, or 0 if there was no response."""


@cache
def here() -> Mapping[str, Any]:
    """Return the metadata service's data about this machine. Raise AskError if the request fails.

    API versions from 2021-03-01 on include the id of a Flexible scale set; we use the same version as cloud-init.
    """
    return json.loads(metadata("instance?api-version=2021-08-01"))


def tag(key: str) -> str:
    """Return the value of this machine's tag, or "" if it has no tag with that key."""
    tags = {each["name"]: each["value"] for each in here()["compute"]["tagsList"]}
    return tags.get(key, "")


def domains() -> Domains:
    return DOMAINS.get(here()["compute"]["azEnvironment"], PUBLIC)


def metadata(path: str) -> bytes:
    """Return the metadata service's response. Raise AskError if the request fails."""
    request = urllib.request.Request(f"{IMDS}/metadata/{path}", headers={"Metadata": "true"})
    return _answer(_direct(), request, PASSING_METADATA, anew=False)


@cache
def token(resource: str) -> str:
    """Return a token for the node's own identity. Raise AskError if the request fails."""
    asked = {"api-version": "2018-02-01", "resource": resource, "client_id": tag("hpc:identity")}
    return json.loads(metadata(f"identity/oauth2/token?{urlencode(asked)}"))["access_token"]


def ask(method: str, url: str, resource: str, *, body: Any = None, tries: int = TRIES) -> bytes:
    """Call a service and return its response. Raise AskError if the call fails.

    `body` is sent as JSON; if it is bytes, it is sent unchanged as the content of a block blob.
    """
    headers = {"Authorization": f"Bearer {token(resource)}", "x-ms-version": "2021-08-06"}
    data: bytes | None = body
    if isinstance(body, bytes):
        headers |= {"Content-Type": "application/octet-stream", "x-ms-blob-type": "BlockBlob"}
    elif body is not None:
        headers["Content-Type"] = "application/json"
        data = json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    return _answer(_opener(), request, PASSING, anew=True, tries=tries)


@cache
def _direct() -> urllib.request.OpenerDirector:
    """Return an opener that uses no proxy, because proxies can't reach the metadata service."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


@cache
def _opener() -> urllib.request.OpenerDirector:
    """Return an opener for services. It is cached, because loading the system's certificates takes longer than a
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
    """Return the response. Retry temporary failures and, if `anew` is set, connection failures."""
    call = f"{request.get_method()} {request.full_url.partition('?')[0]}"
    for attempt in range(1, tries + 1):
        try:
            with opener.open(request, timeout=10) as reply:
                return reply.read()
        except urllib.error.HTTPError as error:
            failed, again = AskError(call, error.code, _said(error)), error.code in passing
        except (OSError, http.client.HTTPException) as error:  # HTTPException means that the response was cut off
            failed, again = AskError(call, 0, str(getattr(error, "reason", error))), anew
        if not again or attempt == tries:
            raise failed
        time.sleep(min(2 ** (attempt - 1), 16))
    raise AssertionError("unreachable")


def _said(error: urllib.error.HTTPError) -> str:
    """Return a service's JSON or XML error as a single line with its code and message."""
    text = error.read().decode(errors="replace")
    try:
        told = json.loads(text)["error"]
        said = f"{told['code']}: {told['message']}" if isinstance(told, dict) else str(told)
    except (ValueError, KeyError, TypeError):
        said = ": ".join(re.findall(r"<(?:Code|Message)>(.*?)(?:\n|</)", text)) or text
    return " ".join(f"HTTP {error.code}: {said or error.reason}".split())[:400]
