"""The cluster's secrets in its Key Vault: values with a history, of which a node knows what counts.

`pulumi up` makes a secret with the content type `hpc/unset`, because Azure Resource Manager knows none without a
value; it may do so again later, when something else of the secret changes. So versions of that type never count.
"""

import base64
import gzip
import json
import os
import time
from collections.abc import Iterator
from typing import Any

from azure_rest import ask, domains, tag

UNSET, SET = "hpc/unset", "hpc/gzip+base64"
"""Content types of a secret without a value and with one. A value has 25 KB at most, and login nodes' host keys as an
archive have 20 KB before they are encoded. Source: Azure Key Vault, "About Azure Key Vault secrets"."""

API = "api-version=7.4"

SETTLE_SECONDS = float(os.environ.get("HPC_SETTLE_SECONDS", "30"))
"""After this time no node can still be about to put a first value: it has just looked, and asks once."""


def own_secret(name: str) -> str:
    """URL of a secret of the cluster."""
    vault = os.environ.get("VAULT") or f"https://{tag('hpc:vault')}.{domains().vault}"
    return f"{vault}/secrets/{name}"


def shown(url: str) -> dict[str, Any]:
    """What Key Vault shows of a secret, or of one version. AskError."""
    return json.loads(ask("GET", f"{url}?{API}", _audience()))


def value(url: str) -> bytes | None:
    """The newest value, or None where the secret has none yet. AskError."""
    newest = shown(url)
    if newest.get("contentType") == UNSET:
        versions = [each["id"] for each in _versions(url)]
        if not versions:
            return None
        newest = shown(versions[-1])
    return _decoded(newest)


def agreed(url: str, own: bytes) -> bytes:
    """The oldest value, which is the same for all who ask; where there is none yet, `own` is put there. AskError.

    Key Vault takes all values that are put at the same time, so their order decides. It is known when no other node
    can still be about to put one.
    """
    versions = _versions(url)
    if not versions:
        put_value(url, own, tries=1)
    if not versions or versions[0]["attributes"]["created"] > time.time() - SETTLE_SECONDS:
        time.sleep(SETTLE_SECONDS)
        versions = _versions(url)
    return _decoded(shown(versions[0]["id"]))


def put_value(url: str, content: bytes, tries: int = 8) -> None:
    """Give the secret a new version. AskError."""
    body = {"value": base64.b64encode(gzip.compress(content, mtime=0)).decode(), "contentType": SET}
    ask("PUT", f"{url}?{API}", _audience(), body=body, tries=tries)


def _versions(url: str) -> list[dict[str, Any]]:
    """Those that have a value, the oldest first; of the same second, all nodes see the same one first."""
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
