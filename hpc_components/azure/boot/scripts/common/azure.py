"""Commands that nodes use to access Azure services. A failure prints one line.

- `azure.py fact <name>`: print the machine's id, address or queue, or the number that the daemon assigned to it in
  the queue;
- `azure.py tag <key>`: print the machine's tag, or an empty line if it has none;
- `azure.py secret <name> [<seconds>]`: print the secret's value, waiting up to <seconds> for it to exist;
- `azure.py password <url>`: print a secret's password: the whole value, or its field `password` if it is JSON;
- `azure.py key <name> <file> <bytes>`: store the same key in the file and the secret: the file's key if it exists,
  otherwise the secret's, otherwise a new one;
- `azure.py agree <name> <file>`: print the value that all nodes share, which is the content of the first node's file;
- `azure.py publish <name> <file>`: store the file in the config account, where all nodes can read it;
- `azure.py published <name> <file> <seconds>`: download the last published file, waiting up to <seconds> for it to
  exist;
- `azure.py mirror <url> <folder>`: download all blobs under the URL into the folder;
- `azure.py fetch <url> <file>`: download the blob;
- `azure.py log <file>`: send the last lines of the file to the workspace's table.
- `azure.py audit <file>`: send the file's lines, records of the audit trail, to the table for these;
- `azure.py metrics_token`: print a token with which Prometheus sends metrics to the workspace.

Runs with the system's Python (3.9 or later) and has no other dependencies.
"""

from __future__ import annotations  # for Python 3.9 of Red Hat Enterprise Linux 9, until a node has a newer one

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlencode, urlsplit
from xml.etree import ElementTree

from azure_logs import audit, log
from azure_rest import STORAGE, AskError, ask, domains, here, tag, token
from azure_vault import agreed, own_secret, put_value, shown, value

T = TypeVar("T")

NAME_SECONDS = 900
"""Seconds that a node waits for its name. The daemon assigns the name after finding the node in its scale set, which
usually takes a minute."""

RIGHTS_SECONDS = 600
"""Maximum number of seconds until a new permission takes effect everywhere. Source: Azure RBAC, "Troubleshoot Azure
RBAC", Symptom - Role assignment changes are not being detected."""


def when_allowed(call: Callable[[], T], seconds: float = RIGHTS_SECONDS) -> T:
    """Return the result of `call`. Retry while access is forbidden, because a new permission may not be in effect
    yet.

    Raise AskError if access is still forbidden after `seconds`, or if the call fails for any other reason.
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
    """Return the result of `call`, waiting up to `seconds` until the result exists: until it is not None and the
    service doesn't respond with 404.

    A node may boot before `pulumi up` or the head node creates what the node reads. Raise AskError if the call fails
    for any other reason.
    """
    until = time.monotonic() + seconds
    while (found := when_allowed(lambda: _unless_missing(call), min(seconds, RIGHTS_SECONDS))) is None:
        if time.monotonic() >= until:
            return None
        time.sleep(2)
    return found


def _unless_missing(call: Callable[[], T]) -> T | None:
    try:
        return call()
    except AskError as error:
        if error.status != 404:
            raise
        return None


def fact(name: str) -> None:
    facts = {"id": _id, "address": _address, "queue": _queue, "number": _number}
    print(facts[name]())


def _id() -> str:
    """Return the machine's id, which is never reused."""
    return here()["compute"]["vmId"]


def _address() -> str:
    return here()["network"]["interface"][0]["ipv4"]["ipAddress"][0]["privateIpAddress"]


def _queue() -> str:
    return tag("hpc:queue") or sys.exit("this machine has no tag hpc:queue")


def _number() -> str:
    """Return the number at the end of the node's name.

    The daemon writes the name to the scale set's blob after finding the machine. In an availability set, the
    machine's `hpc:node` tag contains the name.
    """
    compute, prefix = here()["compute"], f"{_queue()}-"
    if node := tag("hpc:node"):
        return node.removeprefix(prefix)
    url = f"{_nodes_container()}/{_scale_set(compute)}.json"
    until = time.monotonic() + NAME_SECONDS
    while not (name := _name_in(url, compute["vmId"])):
        if time.monotonic() >= until:
            sys.exit(
                f"{url} has no name for machine {compute['vmId']}: the elastic daemon has not registered the machine"
            )
        time.sleep(3)
    if not name.startswith(prefix):
        sys.exit(f"{url}: {name} is not a node of queue {prefix[:-1]}")
    return name.removeprefix(prefix)


def _scale_set(compute: Mapping[str, Any]) -> str:
    """Return the name of this machine's scale set.

    According to Azure's documentation, the metadata contains the name of a Uniform scale set, but the id of a
    Flexible one.
    """
    id = (compute.get("virtualMachineScaleSet") or {}).get("id") or ""
    name = compute.get("vmScaleSetName") or id.rpartition("/")[2]
    return name or sys.exit(
        "the metadata service doesn't name this machine's scale set, and the machine has no tag hpc:node"
    )


def _name_in(url: str, machine: str) -> str:
    """Return the machine's node name, or "" if the machine has no name yet or may not read the blob yet."""
    try:
        names = json.loads(ask("GET", url, STORAGE))["names"]
    except AskError as error:
        if error.status not in (403, 404):
            raise
        return ""
    return {id.lower(): name for id, name in names.items()}.get(machine.lower(), "")


def _nodes_container() -> str:
    """Return the URL of the container into which only the head node writes."""
    account = os.environ["HPC_CONFIG"].partition("/")[0]
    return f"{os.environ.get('BLOB') or f'https://{account}.blob.{domains().storage}'}/nodes"


def secret(name: str, seconds: str = "0") -> None:
    url = own_secret(name)
    found = awaited(lambda: value(url), float(seconds))
    if found is None:
        sys.exit(
            f"secret {name} has no value after {seconds} s: run `sudo /opt/hpc/bin/hpc-update` on the "
            "head node to set the value, or to see why it can't be set"
        )
    sys.stdout.buffer.write(found)


def password(url: str) -> None:
    text = when_allowed(lambda: shown(url))["value"]
    try:
        text = json.loads(text)["password"]
    except (ValueError, TypeError, KeyError):
        text = text.rstrip("\n")
    if not text:
        sys.exit(f"{url} has no value; store the password there")
    print(text)


def key(name: str, file: str, size: str) -> None:
    """Store the same key in the file and the secret. The file takes precedence, because the cluster is already using
    its key.
    """
    path, url = Path(file), own_secret(name)
    found = when_allowed(lambda: value(url))
    if not path.exists():
        _replace(path, found or os.urandom(int(size)))
        print(f"added key {path.name} to the state volume")
    if path.read_bytes() != found:
        when_allowed(lambda: put_value(url, path.read_bytes()))


def agree(name: str, file: str) -> None:
    own = Path(file).read_bytes()
    sys.stdout.buffer.write(when_allowed(lambda: agreed(own_secret(name), own)))


def metrics_token() -> None:
    """Print a token for the node's own identity. Source: Prometheus, storage/remote/azuread/azuread.go, audiences."""
    print(token(f"https://{domains().monitor}/"))


def publish(name: str, file: str) -> None:
    content, url = Path(file).read_bytes(), f"{_nodes_container()}/published/{name}"
    when_allowed(lambda: ask("PUT", url, STORAGE, body=content))


def published(name: str, file: str, seconds: str) -> None:
    """Write the last published file. Its content is that of one version, because writing and reading a whole blob are
    atomic. Source: Steve Marx (Microsoft), quoted in "CDN - Do you get corrupt data while an update on the content is
    happening?", dotnetzone.gr, 2011-01-28.
    """
    url = f"{_nodes_container()}/published/{name}"
    content = awaited(lambda: ask("GET", url, STORAGE), float(seconds))
    if content is None:
        sys.exit(
            f"{name} has not been published within {seconds} s: run `sudo /opt/hpc/bin/hpc-update` on the head node "
            "to publish it, or to see why it can't be published"
        )
    _replace(Path(file), content)


def _replace(path: Path, content: bytes) -> None:
    """Replace the file atomically by a new one with mode 600."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        new = Path(folder, path.name)
        new.touch(mode=0o600)
        with new.open("wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        new.rename(path)


def mirror(url: str, folder: str) -> None:
    parts = urlsplit(url)
    container, _, prefix = unquote(parts.path).strip("/").partition("/")
    at, prefix = f"{parts.scheme}://{parts.netloc}/{quote(container)}", f"{prefix}/" if prefix else ""
    for name in _blobs(at, prefix):
        below = Path(name.removeprefix(prefix))
        if below.name and not below.is_absolute() and ".." not in below.parts:
            path = folder / below
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(ask("GET", f"{at}/{quote(name)}", STORAGE))


def fetch(url: str, file: str) -> None:
    Path(file).write_bytes(_page(url))


def _blobs(container: str, prefix: str) -> Iterator[str]:
    """Yield the names of a container's blobs, but not of folders. Accounts with a hierarchical namespace list folders
    as blobs.
    """
    marker: str | None = ""
    while marker is not None:
        asked = urlencode({"restype": "container", "comp": "list", "prefix": prefix, "marker": marker})
        page = ElementTree.fromstring(_page(f"{container}?{asked}"))
        for blob in page.iter("Blob"):
            name, kind = blob.find("Name"), blob.findtext("Properties/ResourceType")
            if name is not None and name.text and kind != "directory" and not name.text.endswith("/"):
                yield unquote(name.text) if name.get("Encoded") == "true" else name.text
        marker = page.findtext("NextMarker") or None


def _page(url: str) -> bytes:
    return when_allowed(lambda: ask("GET", url, STORAGE))


if __name__ == "__main__":
    actions: dict[str, Callable[..., None]]
    commands = (fact, secret, password, key, agree, publish, published, mirror, fetch, log, audit, metrics_token)
    actions = {each.__name__: each for each in commands}
    actions["tag"] = lambda key: print(tag(key))
    try:
        actions[sys.argv[1]](*sys.argv[2:])
    except (AskError, OSError) as error:
        sys.exit(f"{' '.join(sys.argv[1:3])}: {error}")
