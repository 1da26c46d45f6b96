"""Makes a node's requests to Google Cloud, except for fetching the configuration: `google_node.py <command> ...`.

fact <name>                  print the machine's id, address, queue, or number within the queue
secret <name> [<seconds>]    print the secret's value, after waiting up to this many seconds for a value
password <version>           print the password in a secret: the whole value, or the field `password` if it is JSON
key <name> <file> <bytes>    store a key in both file and secret: the file's, else the secret's, else a new one
agree <name> <file>          print the secret's value, which the first node to run this command sets from its file
publish <name> <file>        store the file in the config bucket, where all nodes can read it
published <name> <file> <seconds>
                             download the last published file, after waiting up to this many seconds for it
mirror <gs://...> <folder>   copy all objects under the address into the folder
fetch <gs://...> <file>      copy the object into the file
log <file>                   send the last lines of the file to Cloud Logging
attribute <key>              print the machine's custom metadata for this key, or an empty line if the key is not set
project                      print the project id
cards                        print the MAC addresses of all network cards but the first, one per line

A command that fails prints one line. Needs only the system's Python, version 3.9 or later.
"""

from __future__ import annotations  # for Python 3.9 of Red Hat Enterprise Linux 9, until a node has a newer one

import hashlib
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from google_rest import AskError, ask, attribute, awaited, here, project, service, when_allowed
from google_secrets import add_value, agreed, newest, own_secret, shown

LOG_LINES = 2000
"""Maximum number of lines to send. Each line is cut at 1,000 characters.

Source: Cloud Logging, "Quotas and limits": 10 MB a call.
"""

LOG, AUDIT_LOG = "hpc-boot", "hpc-audit"


def fact(name: str) -> None:
    facts = {"id": _id, "address": _address, "queue": _queue, "number": _number}
    print(facts[name]())


def _id() -> str:
    """Return the machine's id, which, unlike its name, is never reused."""
    return str(here()["id"])


def _address() -> str:
    return here()["networkInterfaces"][0]["ip"]


def _queue() -> str:
    return attribute("hpc-queue") or sys.exit("this machine has no hpc-queue metadata")


def _number() -> str:
    """Return the node's number in its queue.

    The number is the last part of the machine's name, `<cluster>-<queue>-<number>`, which the elastic daemon chose.
    """
    prefix = f"{attribute('hpc-cluster')}-{_queue()}-"
    number = here()["name"].removeprefix(prefix)
    if not number.isdecimal():
        sys.exit(
            f"the machine's name, {here()['name']}, does not have the form {prefix}<number>, so the elastic "
            "daemon did not launch the machine"
        )
    return number


def secret(name: str, seconds: str = "0") -> None:
    own = own_secret(name)
    found = awaited(lambda: newest(own), float(seconds))
    if found is None:
        sys.exit(
            f"secret {name} has no value after {seconds} s: run `sudo /opt/hpc/bin/hpc-update` on the "
            "head node, which stores the value or reports why it can't"
        )
    sys.stdout.buffer.write(found)


def password(version: str) -> None:
    text = when_allowed(lambda: shown(version)).decode()
    try:
        text = json.loads(text)["password"]
    except (ValueError, TypeError, KeyError):
        text = text.rstrip("\n")
    if not text:
        sys.exit(f"{version} has no value; store the password there")
    print(text)


def key(name: str, file: str, size: str) -> None:
    """Store the same key in the file and in the secret. If the keys differ, the file's key is kept, because the
    cluster already uses that key.
    """
    path, own = Path(file), own_secret(name)
    found = when_allowed(lambda: newest(own))
    if not path.exists():
        if found is None:
            found = when_allowed(lambda: agreed(own, os.urandom(int(size))))
        _replace(path, found)
        print(f"created key {path.name} on the state volume")
    if path.read_bytes() != found:
        when_allowed(lambda: add_value(own, path.read_bytes()))


def agree(name: str, file: str) -> None:
    own = Path(file).read_bytes()
    sys.stdout.buffer.write(when_allowed(lambda: agreed(own_secret(name), own)))


def publish(name: str, file: str) -> None:
    asked = urlencode({"uploadType": "media", "name": f"published/{name}"})
    url = f"{service('storage')}/upload/storage/v1/b/{os.environ['HPC_CONFIG']}/o?{asked}"
    content = Path(file).read_bytes()
    when_allowed(lambda: ask("POST", url, body=content))


def published(name: str, file: str, seconds: str) -> None:
    content = awaited(lambda: _last_published(name), float(seconds))
    if content is None:
        sys.exit(
            f"{name} has not been published within {seconds} s: run `sudo /opt/hpc/bin/hpc-update` on the "
            "head node, which publishes it or reports why it can't"
        )
    _replace(Path(file), content)


def _last_published(name: str) -> bytes | None:
    """Return the content of the last published file, or None if it is missing yet.

    The content is that of one version, because uploads are atomic. Source: Cloud Storage, "Consistency".
    """
    object = quote(f"published/{name}", safe="")
    try:
        return ask("GET", f"{service('storage')}/storage/v1/b/{os.environ['HPC_CONFIG']}/o/{object}?alt=media")
    except AskError as error:
        if error.status != 404:
            raise
        return None


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


def mirror(address: str, folder: str) -> None:
    bucket, _, prefix = address.removeprefix("gs://").rstrip("/").partition("/")
    at, prefix = f"{service('storage')}/storage/v1/b/{quote(bucket)}/o", f"{prefix}/" if prefix else ""
    for name in _objects(at, prefix):
        below = Path(name.removeprefix(prefix))
        if below.name and not below.is_absolute() and ".." not in below.parts and not name.endswith("/"):
            path = folder / below
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(ask("GET", f"{at}/{quote(name, safe='')}?alt=media"))


def fetch(address: str, file: str) -> None:
    bucket, _, name = address.removeprefix("gs://").partition("/")
    Path(file).write_bytes(
        _page(f"{service('storage')}/storage/v1/b/{quote(bucket)}/o/{quote(name, safe='')}?alt=media")
    )


def _objects(at: str, prefix: str) -> Iterator[str]:
    page = ""
    while True:
        asked = urlencode({"prefix": prefix, "fields": "items(name),nextPageToken", "pageToken": page})
        told = json.loads(_page(f"{at}?{asked}"))
        for each in told.get("items", ()):
            yield each["name"]
        page = told.get("nextPageToken", "")
        if not page:
            return


def _page(url: str) -> bytes:
    return when_allowed(lambda: ask("GET", url))


def log(file: str) -> None:
    lines = [line[:1000] for line in Path(file).read_text(errors="replace").splitlines() if line.strip()]
    lines, now = lines[-LOG_LINES:], int(time.time() * 1000)
    entries = []
    # give each line its own timestamp, because logs are ordered only by time
    for at, line in enumerate(lines, start=-len(lines)):
        entries.append({"timestamp": _iso(now + at), "textPayload": line})
    _write(LOG, entries)


def audit(file: str) -> None:
    """Send each line at the time in its record. A line that is sent twice is kept once: it has the same insertId.
    Source: Cloud Logging API, LogEntry."""
    entries = []
    for number, line in enumerate(Path(file).read_text().splitlines()):
        record = json.loads(line)
        same = hashlib.sha256(f"{file} {number} {line}".encode()).hexdigest()
        entries.append({"timestamp": record["time"], "insertId": same, "jsonPayload": record})
    _write(AUDIT_LOG, entries)


def _write(log: str, entries: list[dict[str, Any]]) -> None:
    labels = {"instance_id": _id(), "zone": os.path.basename(here()["zone"]), "project_id": project()}
    body = {
        "logName": f"projects/{project()}/logs/{log}",
        "resource": {"type": "gce_instance", "labels": labels},
        "labels": {"cluster": attribute("hpc-cluster"), "node": socket.gethostname()},
        "entries": entries,
    }
    ask("POST", f"{service('logging')}/v2/entries:write", body=body)


def _iso(milliseconds: int) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(milliseconds // 1000))}.{milliseconds % 1000:03d}Z"


if __name__ == "__main__":
    actions: dict[str, Callable[..., None]]
    actions = {
        each.__name__: each
        for each in (fact, secret, password, key, agree, publish, published, mirror, fetch, log, audit)
    }
    actions["attribute"] = lambda key: print(attribute(key))
    actions["project"] = lambda: print(project())
    actions["cards"] = lambda: print(*(card["mac"] for card in here()["networkInterfaces"][1:]), sep="\n")
    try:
        actions[sys.argv[1]](*sys.argv[2:])
    except (AskError, OSError) as error:
        sys.exit(f"{' '.join(sys.argv[1:3])}: {error}")
