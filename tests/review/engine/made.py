"""Documents of Pulumi's CLI made by hand: steps, events, states."""

import json
from pathlib import Path
from typing import Any

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.review.document import Change
from hpc_components.review.engine.changes import changes_of
from hpc_components.review.engine.digest import run_of_digest
from hpc_components.review.engine.states import resources_of
from hpc_components.review.table import ChangeTable

DISK, MACHINE = "t:m:Disk", "t:m:Machine"
HEAD = "urn:pulumi:s::p::c:m:Head::head"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

_RECORDS = [
    {"kind": "resource", "type": DISK, "op": "delete", "effect": "data_lost", "words": "It is empty."},
    {"kind": "property", "type": DISK, "property": "size", "action": "update", "effect": "live"},
    {"kind": "property", "type": DISK, "property": "zone", "action": "replace"},
    {"kind": "property", "type": DISK, "property": "mood", "action": "refused"},
    {"kind": "kept", "type": DISK, "properties": ["key"], "source": "disk.go"},
    {"kind": "property", "type": MACHINE, "property": "*", "action": "update", "effect": "new_nodes"},
    {"kind": "property", "type": MACHINE, "property": "size", "action": "update", "effect": "head_restarts",
     "within": "Head"},
    {"kind": "resource", "type": MACHINE, "op": "replace", "effect": "nodes_end"},
]  # fmt: skip


def urn(type: str, name: str, *, around: str = "") -> str:
    """Of the stack `s` of the project `p`."""
    return f"urn:pulumi:s::p::{around}{type}::{name}"


def state(type: str = DISK, name: str = "d", **more: Any) -> dict[str, Any]:
    """A resource; `inputs` and the rest as Pulumi has them."""
    around = "c:m:Head$" if more.get("parent") == HEAD else ""
    return {"urn": urn(type, name, around=around), "type": type, "custom": True, "inputs": {}, **more}


def step(op: str, old: Any = None, new: Any = None, **more: Any) -> dict[str, Any]:
    """A step; its resource is that of the newer side."""
    sides = {key: each for key, each in (("oldState", old), ("newState", new)) if each}
    return {"op": op, "urn": (new or old)["urn"], **sides, **more}


def digest(*steps: Any, **more: Any) -> dict[str, Any]:
    """A preview that ended well."""
    return {"steps": list(steps), "changeSummary": {"update": 1, "same": 9}, **more}


def changes_in(folder: Path, *steps: Any) -> dict[str, Change]:
    """What becomes of the resources, by name."""
    (folder / "data").mkdir()
    (folder / "data" / "changes.json").write_text(json.dumps(_RECORDS))
    run = run_of_digest(digest(*steps))
    before, after = (resources_of(each for each in side if each) for side in (
        [each.old for each in run.steps], [each.new for each in run.steps]
    ))  # fmt: skip
    table = ChangeTable(RecordsByKind("changes", str(folder / "__init__.py")))
    return {change.name: change for change in changes_of(run, before, after, table)}


def event(**kind: Any) -> str:
    """One line of a log."""
    return json.dumps({"sequence": 1, "timestamp": 1, **kind}) + "\n"
