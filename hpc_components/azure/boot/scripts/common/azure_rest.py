"""How a node asks Azure: its own metadata, tokens of its identity, and services that take such a token.

Runs with the Python of the system, 3.10 at least, and needs nothing else.
"""

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
"""What tokens for Blob Storage are for, on every Azure cloud."""

TRIES = 8
"""Attempts of a call; the pauses between them grow to 16 seconds, 47 seconds in all."""

PASSING = (408, 429, 500, 502, 503, 504)
"""HTTP status of what may succeed a little later. Source: Azure Architecture, "Retry guidance for Azure services"."""

PASSING_METADATA = (404, 410, 429, 500)
"""The same of the metadata service, which is now and then updated. Source: Managed identities, "How to use managed
identities on an Azure VM to acquire an access token", Retry guidance."""


@dataclass(frozen=True)
class Domains:
    """Where the services of one of Azure's clouds are."""

    storage: str
    vault: str
    monitor: str


PUBLIC = Domains("core.windows.net", "vault.azure.net", "monitor.azure.com")
DOMAINS = {
    "AzureUSGovernmentCloud": Domains("core.usgovcloudapi.net", "vault.usgovcloudapi.net", "monitor.azure.us"),
    "AzureChinaCloud": Domains("core.chinacloudapi.cn", "vault.azure.cn", "monitor.azure.cn"),
}


class AskError(Exception):
    """A call that was not done: one line says which and why."""

    def __init__(self, call: str, status: int, why: str) -> None:
        super().__init__(f"{call}: {why}")
        self.status = status
        """Of HTTP; 0 without an answer."""


@cache
def here() -> Mapping[str, Any]:
    """What the metadata service says of this machine. AskError.

    Since version 2021-03-01 it names the Flexible scale set of a machine by its id too; cloud-init asks this version.
    """
    return json.loads(metadata("instance?api-version=2021-08-01"))


def tag(key: str) -> str:
    """The machine's own tag; empty if it has none of that key."""
    tags = {each["name"]: each["value"] for each in here()["compute"]["tagsList"]}
    return tags.get(key, "")


def domains() -> Domains:
    """Where the services are on the cloud that this machine is in."""
    return DOMAINS.get(here()["compute"]["azEnvironment"], PUBLIC)


def metadata(path: str) -> bytes:
    """What the metadata service answers. AskError."""
    request = urllib.request.Request(f"{IMDS}/metadata/{path}", headers={"Metadata": "true"})
    return _answer(_direct(), request, PASSING_METADATA, anew=False)


@cache
def token(resource: str) -> str:
    """A token of the node's own identity. AskError."""
    asked = {"api-version": "2018-02-01", "resource": resource, "client_id": tag("hpc:identity")}
    return json.loads(metadata(f"identity/oauth2/token?{urlencode(asked)}"))["access_token"]


def ask(method: str, url: str, resource: str, *, body: Any = None, tries: int = TRIES) -> bytes:
    """Call a service and return its answer. `body` is sent as JSON. AskError."""
    headers = {"Authorization": f"Bearer {token(resource)}", "x-ms-version": "2021-08-06"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    return _answer(_opener(), request, PASSING, anew=True, tries=tries)


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
            with opener.open(request, timeout=10) as reply:
                return reply.read()
        except urllib.error.HTTPError as error:
            failed, again = AskError(call, error.code, _said(error)), error.code in passing
        except (OSError, http.client.HTTPException) as error:  # the latter where an answer is cut off
            failed, again = AskError(call, 0, str(getattr(error, "reason", error))), anew
        if not again or attempt == tries:
            raise failed
        time.sleep(min(2 ** (attempt - 1), 16))
    raise AssertionError("unreachable")


def _said(error: urllib.error.HTTPError) -> str:
    """Code and message of a service's error, which may be JSON or XML, as one line."""
    text = error.read().decode(errors="replace")
    try:
        told = json.loads(text)["error"]
        said = f"{told['code']}: {told['message']}" if isinstance(told, dict) else str(told)
    except (ValueError, KeyError, TypeError):
        said = ": ".join(re.findall(r"<(?:Code|Message)>(.*?)(?:\n|</)", text)) or text
    return " ".join(f"HTTP {error.code}: {said or error.reason}".split())[:400]
