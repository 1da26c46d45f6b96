"""Transfers files between buckets and Managed Lustre, and waits until each transfer is done. Prints one line per
failure.

transfer.py import    import the objects under `import_from` as files, unless already imported
transfer.py export    export new and changed files as objects under `export_to`; nothing is deleted

`head/lustre.json` lists the file systems. A file system accepts only one transfer at a time, so this program waits
for earlier transfers. Source: Managed Lustre, "Transfer data to or from Cloud Storage".
"""

import json
import sys
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from google_rest import AskError, ask, project, service, when_allowed

LINKS, MOUNTS = Path("head/lustre.json"), Path("common/mounts.json")

DONE = Path("/var/lib/hpc/lustre")
"""Folder on the state volume with one file per imported file system."""

POLL_SECONDS = 30
BUSY_SECONDS = 60

KEYS = {"import": "import_from", "export": "export_to"}


def transfer(what: str) -> None:
    failed = []
    for link in json.loads(LINKS.read_text()):
        if not link.get(KEYS[what]):
            continue
        try:
            _one(what, link)
        except AskError as error:
            failed.append(f"{link['mount']}: {what}: {error}")
    if failed:
        sys.exit("\n".join(failed))


def _one(what: str, link: Mapping[str, str]) -> None:
    instance = when_allowed(lambda: _instance(link))
    done = DONE / instance["name"].rpartition("/")[2]
    if what == "import" and done.exists() and done.read_text().strip() == instance["createTime"]:
        return
    uri = f"{link[KEYS[what]].rstrip('/')}/"
    print(f"{link['mount']}: {what}, {uri}", flush=True)
    _wait_for(_begin(what, instance["name"], uri))
    print(f"{link['mount']}: {what} is done", flush=True)
    if what == "import":
        done.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        done.write_text(instance["createTime"] + "\n")


def _instance(link: Mapping[str, str]) -> dict[str, Any]:
    """Return the API's data on the file system mounted at a link's directory. Raise AskError if the file system is
    not found.
    """
    mounts = {each["mount"]: each["from"].rstrip("/") for each in json.loads(MOUNTS.read_text())}
    at, page = f"{service('lustre')}/v1/projects/{project()}/locations/{link['zone']}/instances", ""
    while True:
        told = json.loads(ask("GET", f"{at}?pageToken={page}"))
        for each in told.get("instances", ()):
            if each.get("mountPoint", "").rstrip("/") == mounts[link["mount"]]:
                return each
        page = told.get("nextPageToken", "")
        if not page:
            raise AskError(at, 404, f"no file system has the mount point {mounts[link['mount']]}")


def _begin(what: str, name: str, uri: str) -> dict[str, Any]:
    """Start a transfer as soon as the file system is ready for it, and return the operation.

    Raise AskError if the transfer can't be started.
    """
    url, ends = f"{service('lustre')}/v1/{name}:{what}Data", {"gcsPath": {"uri": uri}, "lustrePath": {"path": "/"}}
    while True:
        try:
            answer = when_allowed(lambda: ask("POST", url, body={**ends, "requestId": str(uuid.uuid4())}))
            return json.loads(answer)
        except AskError as error:
            if error.code != "ABORTED":  # another transfer is under way
                raise
        time.sleep(BUSY_SECONDS)


def _wait_for(operation: dict[str, Any]) -> None:
    """Wait until the operation succeeds. Raise AskError if it fails."""
    while not operation.get("done"):
        time.sleep(POLL_SECONDS)
        operation = json.loads(ask("GET", f"{service('lustre')}/v1/{operation['name']}"))
    if error := operation.get("error"):
        raise AskError(operation["name"], 0, " ".join(str(error.get("message", error)).split()))


if __name__ == "__main__":
    try:
        transfer(sys.argv[1])
    except (AskError, OSError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
