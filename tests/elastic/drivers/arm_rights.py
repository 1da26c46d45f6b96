"""What Azure asks its role assignments about a call: pairs of an action and the id of the resource that it is on."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .arm_shapes import AzureError, ScaleSet
from .fake_arm import GROUP, FakeArm
from .fake_login_sets import OWN_GROUP

Holds = Callable[[str, str], bool]
"""Whether the caller may do an action on the resource with this id."""

CONTAINER = "container/nodes"
_TABLE = json.loads((Path(__file__).parent / "arm_permissions.json").read_text())
CALLS: Mapping[str, Mapping[str, Any]] = _TABLE["calls"]
LINKED: Mapping[str, Mapping[str, Any]] = _TABLE["linked"]


def enforce(arm: FakeArm, holds: Holds, needs: Callable[[str, str], None] = lambda action, id: None) -> None:
    """Let Azure refuse what the caller may not do. `needs` hears of all that calls need."""

    def check(call: str, names: tuple[str, ...], query: Mapping[str, str], body: bytes) -> None:
        for action, id in needed(arm, call, names, query, body):
            needs(action, id)
            if not holds(action, id):
                words = f"The client does not have authorization to perform action '{action}' over scope '{id}'."
                raise AzureError("AuthorizationFailed", words, 403)

    arm.on_request = check


def needed(
    arm: FakeArm, call: str, names: tuple[str, ...], query: Mapping[str, str], body: bytes
) -> Iterator[tuple[str, str]]:
    """What a call needs. KeyError for one that the table does not know."""
    rule = CALLS[call]
    group = _set_of(arm, call, names, query, body)
    ordinary = group is None or group.flexible or group.named
    kinds = ("actions", "ordinary" if ordinary else "uniform")
    yield from ((action, GROUP) for kind in kinds for action in rule.get(kind, ()))
    yield from ((action, GROUP.rpartition("/resourceGroups/")[0]) for action in rule.get("subscription", ()))
    yield from ((action, OWN_GROUP) for action in rule.get("own_group", ()))
    yield from ((action, CONTAINER) for action in rule.get("data", ()))
    if group is not None and rule.get("linked"):
        yield from group.links


def _set_of(
    arm: FakeArm, call: str, names: tuple[str, ...], query: Mapping[str, str], body: bytes
) -> ScaleSet | None:
    """The scale set or availability set that a call is about, if it is about one."""
    if call == "deploy":
        return arm.set(json.loads(body)["properties"]["parameters"]["availabilitySet"]["value"].rpartition("/")[2])
    filtered = re.search(r"/virtualMachineScaleSets/([^/']+)'", query.get("$filter", ""))
    name = filtered[1] if filtered else next((name for name in names if name in arm.sets), None)
    return None if name is None else arm.set(name)


def links_of(model: Any) -> Iterator[tuple[str, str]]:
    """What is needed to use all that machines of this model (the inputs of a resource, or a template) are made with.

    KeyError for a reference to a kind of resource that the table does not know.
    """
    if isinstance(model, list):
        for each in model:
            yield from links_of(each)
    if not isinstance(model, Mapping):
        return
    for key, value in model.items():
        if key == "userAssignedIdentities":
            yield from ((action, id) for id in value for action in LINKED[key]["actions"])
        elif isinstance(value, Mapping) and isinstance(value.get("id"), str) and key != "availabilitySet":
            kind = key
            if key == "imageReference":
                kind = "galleries" if "/galleries/" in value["id"] else "images"
            yield from ((action, value["id"]) for action in LINKED[kind]["actions"])
        else:
            yield from links_of(value)
