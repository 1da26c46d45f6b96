"""Reads and writes the cluster's secrets in Secret Manager, and decides which version to use.

The versions of a secret are numbered from 1. A new version can be read by number immediately, but the alias `latest`
and the list of versions may be out of date for minutes, so no decision here depends on them. Source: Secret Manager,
"Resource consistency".
"""

from __future__ import annotations  # for Python 3.9 of Red Hat Enterprise Linux 9, until a node has a newer one

import base64
import json
import os
from dataclasses import dataclass

from google_rest import AskError, ask, project, service

LATEST = "latest"


@dataclass(frozen=True)
class Version:
    number: int
    """Version number, or 0 if unknown."""
    value: bytes | None
    """The value, or None if the version is disabled or destroyed."""


def own_secret(name: str) -> str:
    """Return the full id of a cluster secret. `name` includes the cluster's name as a prefix."""
    return f"projects/{project()}/secrets/{name}"


def shown(version: str) -> bytes:
    """Return the value of `version`, which has the form `projects/<project>/secrets/<name>/versions/<version>`.

    Raise AskError if the version can't be read.
    """
    answer = json.loads(ask("GET", f"{service('secretmanager')}/v1/{version}:access"))
    return base64.b64decode(answer["payload"].get("data", ""))


def newest(secret: str) -> bytes | None:
    """Return the newest value, or None if the secret has no value yet. Raise AskError if the secret can't be read."""
    found = _version(secret, LATEST)
    value, number = (found.value, found.number) if found else (None, 0)
    while found := _version(secret, str(number + 1)):
        value, number = found.value if found.value is not None else value, number + 1
    return value


def agreed(secret: str, own: bytes) -> bytes:
    """Return the oldest value, so that all nodes use the same one. If the secret has no value yet, add `own` first.

    If several nodes add a value at the same time, each value gets a separate version number, and the lowest number
    wins. Raise AskError if a call fails.
    """
    number, added = 1, False
    while True:
        found = _version(secret, str(number))
        if found is None and added:
            raise AskError(secret, 404, f"version {number} was added, but can't be found")
        if found is None:
            add_value(secret, own)
            added = True
        elif found.value is not None:
            return found.value
        else:
            number += 1


def add_value(secret: str, content: bytes) -> None:
    body = {"payload": {"data": base64.b64encode(content).decode()}}
    ask("POST", f"{service('secretmanager')}/v1/{secret}:addVersion", body=body)


def _version(secret: str, version: str) -> Version | None:
    """Return a version, or None if the version or the secret does not exist. Raise AskError if the call fails."""
    try:
        answer = json.loads(ask("GET", f"{service('secretmanager')}/v1/{secret}/versions/{version}:access"))
    except AskError as error:
        if error.code == "FAILED_PRECONDITION":
            return Version(0 if version == LATEST else int(version), None)
        if error.status != 404:
            raise
        return None
    number = int(os.path.basename(answer["name"]))
    return Version(number, base64.b64decode(answer["payload"].get("data", "")))
