"""What nodes ask of Google Cloud beside their configuration: `google_node.py <what> ...`. Fails with one line.

fact <name>                  the machine's id, address or queue, or its number there
secret <name> [<seconds>]    the secret's value to stdout; waits so long for it to be there
password <version>           the password in a secret: all of it, or the field of that name if it is JSON
key <name> <file> <bytes>    file and secret hold the same key: the file's, else the secret's, else a new one
agree <name> <file>          the first node's file becomes the secret's value, for all: prints the value
mirror <gs://...> <folder>   all objects below the address, into the folder
log <file>                   the file's last lines to Cloud Logging
attribute <key>              its custom metadata; an empty line if it has none
project                      the project's id
cards                        addresses (MAC) of its network cards after the first, one a line

Runs with the Python of the system, 3.10 at least, and needs nothing else.
"""

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

from google_rest import RIGHTS_SECONDS, AskError, ask, attribute, here, project, service, when_allowed
from google_secrets import add_value, agreed, newest, own_secret, shown

LOG_LINES = 2000
"""Lines sent at most, each cut at 1,000 characters. Source: Cloud Logging, "Quotas and limits": 10 MB a call."""

LOG = "hpc-boot"
"""Name of the log."""


def fact(name: str) -> None:
    """Print a fact of this machine."""
    facts = {"id": _id, "address": _address, "queue": _queue, "number": _number}
    print(facts[name]())


def _id() -> str:
    """No other machine has or had it; names come again."""
    return str(here()["id"])


def _address() -> str:
    return here()["networkInterfaces"][0]["ip"]


def _queue() -> str:
    return attribute("hpc-queue") or sys.exit("this machine has no metadata hpc-queue")


def _number() -> str:
    """From the machine's name, `<cluster>-<queue>-<number>`, by which the elastic daemon has asked for it."""
    prefix = f"{attribute('hpc-cluster')}-{_queue()}-"
    number = here()["name"].removeprefix(prefix)
    if not number.isdecimal():
        sys.exit(f"the machine's name, {here()['name']}, is no {prefix}<number>: the elastic daemon did not make it")
    return number


def secret(name: str, seconds: str = "0") -> None:
    """Print the secret's value."""
    until = time.monotonic() + float(seconds)
    own = own_secret(name)
    while (found := when_allowed(lambda: newest(own), min(float(seconds), RIGHTS_SECONDS))) is None:
        if time.monotonic() >= until:
            sys.exit(
                f"secret {name} has no value after {seconds} s: run `sudo /opt/hpc/bin/hpc-update` on the head node,"
                " which puts it there or says why it can't"
            )
        time.sleep(2)
    sys.stdout.buffer.write(found)


def password(version: str) -> None:
    """Print the password."""
    text = when_allowed(lambda: shown(version)).decode()
    try:
        text = json.loads(text)["password"]
    except (ValueError, TypeError, KeyError):
        text = text.rstrip("\n")
    if not text:
        sys.exit(f"{version} has no value; put the database's password there")
    print(text)


def key(name: str, file: str, size: str) -> None:
    """Make file and secret agree. The file counts: the cluster runs with it."""
    path, own = Path(file), own_secret(name)
    found = when_allowed(lambda: newest(own))
    if not path.exists():
        if found is None:
            found = when_allowed(lambda: agreed(own, os.urandom(int(size))))
        new = path.with_suffix(".new")
        new.touch(mode=0o600)
        with new.open("wb") as out:
            out.write(found)
            out.flush()
            os.fsync(out.fileno())
        new.rename(path)
        print(f"key {path.name} is new on the state volume")
    if path.read_bytes() != found:
        when_allowed(lambda: add_value(own, path.read_bytes()))


def agree(name: str, file: str) -> None:
    """Print what all nodes have as the secret's value: the file of the first that asked."""
    own = Path(file).read_bytes()
    sys.stdout.buffer.write(when_allowed(lambda: agreed(own_secret(name), own)))


def mirror(address: str, folder: str) -> None:
    """Fetch all objects below an address."""
    bucket, _, prefix = address.removeprefix("gs://").rstrip("/").partition("/")
    at, prefix = f"{service('storage')}/storage/v1/b/{quote(bucket)}/o", f"{prefix}/" if prefix else ""
    for name in _objects(at, prefix):
        below = Path(name.removeprefix(prefix))
        if below.name and not below.is_absolute() and ".." not in below.parts and not name.endswith("/"):
            path = folder / below
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(ask("GET", f"{at}/{quote(name, safe='')}?alt=media"))


def _objects(at: str, prefix: str) -> Iterator[str]:
    """Names of a bucket's objects."""
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
    """Send the file's last lines."""
    lines = [line[:1000] for line in Path(file).read_text(errors="replace").splitlines() if line.strip()]
    lines, now = lines[-LOG_LINES:], int(time.time() * 1000)
    entries = []
    for at, line in enumerate(lines, start=-len(lines)):  # a log has no order but that of its times
        entries.append({"timestamp": _iso(now + at), "textPayload": line})
    labels = {"instance_id": _id(), "zone": os.path.basename(here()["zone"]), "project_id": project()}
    body = {
        "logName": f"projects/{project()}/logs/{LOG}",
        "resource": {"type": "gce_instance", "labels": labels},
        "labels": {"cluster": attribute("hpc-cluster"), "node": socket.gethostname()},
        "entries": entries,
    }
    ask("POST", f"{service('logging')}/v2/entries:write", body=body)


def _iso(milliseconds: int) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(milliseconds // 1000))}.{milliseconds % 1000:03d}Z"


if __name__ == "__main__":
    actions: dict[str, Callable[..., None]]
    actions = {each.__name__: each for each in (fact, secret, password, key, agree, mirror, log)}
    actions["attribute"] = lambda key: print(attribute(key))
    actions["project"] = lambda: print(project())
    actions["cards"] = lambda: print(*(card["mac"] for card in here()["networkInterfaces"][1:]), sep="\n")
    try:
        actions[sys.argv[1]](*sys.argv[2:])
    except (AskError, OSError) as error:
        sys.exit(f"{' '.join(sys.argv[1:3])}: {error}")
