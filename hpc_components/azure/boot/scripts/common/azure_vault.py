"""Reads and writes the cluster's secrets in its Key Vault, which keeps all versions of a value.

Azure Resource Manager requires a value, so `pulumi up` creates each secret with a placeholder of content type
`hpc/unset`. It may add another placeholder when a property of the secret changes. Versions of this type are always
ignored.
"""

from __future__ import annotations  # for Python 3.9 of Red Hat Enterprise Linux 9, until a node has a newer one

import base64
import gzip
import json
import os
import time
from collections.abc import Iterator
from typing import Any

from azure_rest import ask, domains, tag

UNSET, SET = "hpc/unset", "hpc/gzip+base64"
"""Content types of secrets without and with a value. Values are compressed, because Key Vault accepts at most 25 KB
and the archive of the login nodes' host keys takes up 20 KB even before encoding. Source: Azure Key Vault, "About
Azure Key Vault secrets"."""

API = "api-version=7.4"

SETTLE_SECONDS = float(os.environ.get("HPC_SETTLE_SECONDS", "30"))
"""Seconds after which no other node can still write a first value, because a node that finds no value writes its own
immediately and in a single attempt."""


def own_secret(name: str) -> str:
    vault = os.environ.get("VAULT") or f"https://{tag('hpc:vault')}.{domains().vault}"
    return f"{vault}/secrets/{name}"


def shown(url: str) -> dict[str, Any]:
    """Return Key Vault's response for a secret or one of its versions. Raise AskError if the request fails."""
    return json.loads(ask("GET", f"{url}?{API}", _audience()))


def value(url: str) -> bytes | None:
    """Return the newest value, or None if the secret has no value yet. Raise AskError if the request fails."""
    newest = shown(url)
    if newest.get("contentType") == UNSET:
        versions = [each["id"] for each in _versions(url)]
        if not versions:
            return None
        newest = shown(versions[-1])
    return _decoded(newest)


def agreed(url: str, own: bytes) -> bytes:
    """Return the oldest value, which is the same for all nodes. If there is no value yet, write `own` first.

    Raise AskError if a request fails. If several nodes write a value at the same time, Key Vault keeps all of them,
    and the oldest one wins. The order is final after SETTLE_SECONDS, when no other node can still write a first
    value.
    """
    versions = _versions(url)
    if not versions:
        put_value(url, own, tries=1)
    if not versions or versions[0]["attributes"]["created"] > time.time() - SETTLE_SECONDS:
        time.sleep(SETTLE_SECONDS)
        versions = _versions(url)
    return _decoded(shown(versions[0]["id"]))


def put_value(url: str, content: bytes, tries: int = 8) -> None:
    """Add a new version to the secret. Raise AskError if the request fails."""
    body = {"value": base64.b64encode(gzip.compress(content, mtime=0)).decode(), "contentType": SET}
    ask("PUT", f"{url}?{API}", _audience(), body=body, tries=tries)


def _versions(url: str) -> list[dict[str, Any]]:
    """Return the versions that have a value, oldest first.

    Versions created in the same second are sorted by id, so that all nodes agree on which one is the oldest.
    """
    found = [each for each in _listed(f"{url}/versions?{API}") if each["attributes"].get("enabled", True)]
    return sorted(
        (each for each in found if each.get("contentType") != UNSET),
        key=lambda each: (each["attributes"]["created"], each["id"]),
    )


def _listed(url: str | None) -> Iterator[dict[str, Any]]:
    while url:
        page = json.loads(ask("GET", url, _audience()))
        yield from page["value"] or ()
        url = page.get("nextLink")


def _decoded(version: dict[str, Any]) -> bytes:
    return gzip.decompress(base64.b64decode(version["value"]))


def _audience() -> str:
    return f"https://{domains().vault}"
