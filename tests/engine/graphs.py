"""Compares what the recorder saw with what the real engine has in its state, or plans."""

from collections.abc import Iterator
from typing import Any

from hpc_components.preview.record import SECRET, UNKNOWN, RecordedResource, Recording
from hpc_components.testing.engine import StackState, StateResource

PLANNED_SECRET = "[secret]"
SIGNATURE = "4dabf18193072939515e22adb298388d"
IS_SECRET = "1b47061264138c4ac30d75fd1eb44270"


def differences(recording: Recording, state: StackState) -> list[str]:
    """Where the two graphs differ.

    What the recorder does not know must only be there: physical names, say, are the provider's to find. What it knows
    must be the same, and known to the engine as well.
    """
    recorded = {each.urn: each for each in recording.resources if not each.type.startswith("pulumi:")}
    found = [f"{urn}: only recorded" for urn in recorded.keys() - state.resources.keys()]
    found += [f"{urn}: only in the engine" for urn in state.resources.keys() - recorded.keys()]
    for urn in recorded.keys() & state.resources.keys():
        found += [f"{urn}: {what}" for what in _of_one(recorded[urn], state.resources[urn])]
    return sorted(found)


def _of_one(ours: RecordedResource, real: StateResource) -> Iterator[str]:
    named_by_the_provider = {"__defaults", *real.inputs.get("__defaults", ())}
    yield from _of_values(
        ours.inputs, {key: value for key, value in real.inputs.items() if key not in named_by_the_provider}, ""
    )
    pairs = {
        "protect": (ours.protect, real.protect),
        "retain": (ours.retain, real.retain),
        "custom": (ours.custom, real.custom),
        "parent": (ours.parent, _but_for_the_stack(real.parent)),
        "dependencies": (sorted(ours.depends_on), sorted(real.dependencies)) if real.custom else ((), ()),
    }
    for what, (recorded, actual) in pairs.items():
        if recorded != actual:
            yield f"{what} is {recorded} when recorded, {actual} in the engine"


def _of_values(ours: Any, real: Any, path: str) -> Iterator[str]:
    if ours == UNKNOWN and real not in (None, PLANNED_SECRET):
        return
    if ours == SECRET and real == PLANNED_SECRET:
        return
    if isinstance(real, dict) and SIGNATURE in real:
        if ours != SECRET if real[SIGNATURE] == IS_SECRET else not _is_same_file(ours, real):
            yield f"{path} is {ours!r} when recorded, {real} in the engine"
    elif isinstance(ours, dict) and isinstance(real, dict):
        for key in sorted(ours.keys() | real.keys()):
            yield from _of_values(ours.get(key), real.get(key), f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(real, list) and len(ours) == len(real):
        for index, (each, other) in enumerate(zip(ours, real, strict=True)):
            yield from _of_values(each, other, f"{path}[{index}]")
    elif ours != real:
        yield f"{path} is {ours!r} when recorded, {real!r} in the engine"


def _is_same_file(ours: Any, real: dict[str, Any]) -> bool:
    """Assets by their hash, archives by their members: the two hash an archive in different ways."""
    if not isinstance(ours, dict):
        return False
    if "asset" in ours:
        return ours["asset"].get("sha256") == real["hash"]
    members = ours.get("archive", {}).get("assets", {})
    return members.keys() == real.get("assets", {}).keys() and all(
        _is_same_file(members[name], real["assets"][name]) for name in members
    )


def _but_for_the_stack(parent: str | None) -> str | None:
    return None if parent and "::pulumi:pulumi:Stack::" in parent else parent
