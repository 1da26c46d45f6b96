"""Faults put into the recorded inputs of a stack, one at a time."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from stack_recordings import recorded

from hpc_components.preview.inputs import InputFault, check_inputs
from hpc_components.spec.input_rules import FaultKind

GONE = object()
"""In place of a value: the property is left out."""


@dataclass(frozen=True)
class Seeded:
    """A fault in one resource of a stack, and the check that finds it."""

    stack: str
    resource: str
    """Last word of its type and its name: `Disk cfd-head-state`."""
    changes: Mapping[str, Any]
    """What is set instead, by place: `securityRules.0.priority`."""
    path: str
    """Where the fault is found."""
    kind: FaultKind
    words: str = ""
    """Part of its reason or remedy."""
    beside: bool = False
    """Whether it shows only beside the other resources of the stack."""
    unlinked: str = ""
    """Last word of a type on which nothing depends any more."""

    def __str__(self) -> str:
        value = next(iter(self.changes.values()), self.unlinked)
        return f"{self.resource.partition(' ')[0]}:{self.path}={'gone' if value is GONE else str(value)[:30]}"


def faults_of(seeded: Seeded) -> list[InputFault]:
    """All that is found in the resource with the fault in it, or in all of the stack beside it."""
    recording = recorded(seeded.stack)
    type, _, name = seeded.resource.partition(" ")
    sound = recording.one(type, name)
    inputs = copy.deepcopy(sound.inputs)
    for place, value in seeded.changes.items():
        _set(inputs, place, value)
    assert inputs != sound.inputs or seeded.unlinked, "nothing is changed"
    faulty = replace(sound, inputs=inputs)
    if not seeded.beside:
        return check_inputs(replace(recording, resources=(faulty,)))
    gone = {each.urn for each in recording.all(seeded.unlinked)} if seeded.unlinked else set()
    whole = [faulty if each is sound else each for each in recording.resources]
    left = [replace(each, depends_on=tuple(urn for urn in each.depends_on if urn not in gone)) for each in whole]
    return check_inputs(replace(recording, resources=tuple(left)))


def _set(inputs: Any, place: str, value: Any) -> None:
    *way, last = [int(step) if step.isdigit() else step for step in place.split(".")]
    for step in way:
        inputs = inputs.setdefault(step, {}) if isinstance(step, str) else inputs[step]
    if value is GONE:
        del inputs[last]
    else:
        inputs[last] = value
