"""The cluster's secrets in Secret Manager: values with a history, of which a node knows what counts.

A secret's versions are numbered from 1. Only who asks for a version by its number is told at once that somebody has
added it; the alias `latest` and lists of versions may be old for minutes. So nothing here decides by them.
Source: Secret Manager, "Resource consistency".
"""

import base64
import json
import os
from dataclasses import dataclass

from google_rest import AskError, ask, project, service

LATEST = "latest"


@dataclass(frozen=True)
class Version:
    """A version of a secret that is there."""

    number: int
    """0 where it is not known."""
    value: bytes | None
    """None for one that somebody has disabled or destroyed."""


def own_secret(name: str) -> str:
    """Id of a secret of the cluster, whose names begin with the cluster's."""
    return f"projects/{project()}/secrets/{name}"


def shown(version: str) -> bytes:
    """The value of a version, `projects/<project>/secrets/<name>/versions/<version>`. AskError."""
    answer = json.loads(ask("GET", f"{service('secretmanager')}/v1/{version}:access"))
    return base64.b64decode(answer["payload"].get("data", ""))


def newest(secret: str) -> bytes | None:
    """The newest value, or None where the secret has none yet. AskError."""
    found = _version(secret, LATEST)
    value, number = (found.value, found.number) if found else (None, 0)
    while found := _version(secret, str(number + 1)):
        value, number = found.value if found.value is not None else value, number + 1
    return value


def agreed(secret: str, own: bytes) -> bytes:
    """The oldest value, which is the same for all who ask; where there is none yet, `own` is put there. AskError.

    Where several add one at the same time, each is given another number, and the lowest counts.
    """
    number, added = 1, False
    while True:
        found = _version(secret, str(number))
        if found is None and added:
            raise AskError(secret, 404, f"version {number} was added and is not there")
        if found is None:
            add_value(secret, own)
            added = True
        elif found.value is not None:
            return found.value
        else:
            number += 1


def add_value(secret: str, content: bytes) -> None:
    """Give the secret a new version. AskError."""
    body = {"payload": {"data": base64.b64encode(content).decode()}}
    ask("POST", f"{service('secretmanager')}/v1/{secret}:addVersion", body=body)


def _version(secret: str, version: str) -> Version | None:
    """A version, or None where there is no such one, or no such secret. AskError."""
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
