"""Writes what a release makes of each stack of this project: tests/releases/<stack>.txt, a part of making a release.

A line for each resource that is no file of the configuration: its URN without stack and project. Where a replacement
would hurt, below it what that means, and the known inputs of which another value would replace it.
`changes_since` compares such a record with a plan of today.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hpc_components import __version__
from hpc_components.preview.clouds import reader_of
from hpc_components.preview.files import USER_DATA
from hpc_components.preview.plan import Plan
from hpc_components.preview.resources import SECRET, UNKNOWN, Resource, Resources
from hpc_components.preview.stack import plan_stack
from hpc_components.review.change_effects import Effect
from hpc_components.review.compare import InputChange, leaves, pairs
from hpc_components.review.paths import shown
from hpc_components.review.table import ChangeTable
from hpc_components.spec.project import find_project

RELEASES = Path(__file__).resolve().parent.parent / "tests" / "releases"

_LONGEST = 100
"""Characters of a value; of a longer one the hash is kept."""


def record_of(plan: Plan) -> str:
    """The record of a stack."""
    lines = [f"# {plan.stack}, hpc_components {__version__}. Written by tools/record_release.py."]
    table = ChangeTable(reader_of(plan.cloud).changes())
    for resource in _resources(plan):
        lines.append(resource.urn.split("::", 2)[2])
        effect = _effect_of_replacement(resource, plan.resources, table)
        if effect.rank <= Effect.SESSIONS_CUT.rank:
            lines.append(f"  replaced: {effect}")
            lines += [f"  {path}: {value}" for path, value in _replacing_inputs(resource, plan.resources, table)]
    return "\n".join([*lines, ""])


def changes_since(record: str, plan: Plan) -> Iterator[str]:
    """What a user of the recorded release would lose with the plan's: resources that vanish, and that are replaced.

    A resource with an alias has not vanished, as for Pulumi.
    """
    known = _read(record, f"urn:pulumi:{plan.stack}::{plan.project}::")
    old = Resources(Resource(urn=urn, type=_type_of(urn), name=urn.rpartition("::")[2]) for urn in known)
    for pair in pairs(old, Resources(_resources(plan))):
        if pair.before is None:
            continue
        if pair.after is None:
            yield f"{pair.before.urn} has vanished"
            continue
        effect, inputs = known[pair.before.urn]
        now = {shown(path): _shown(value) for path, value in leaves(pair.after.inputs)}
        for path, value in inputs.items():
            if now.get(path) != value:
                yield f"{pair.before.urn} is replaced ({effect}): {path} was {value}, is {now.get(path, 'missing')}"


def _resources(plan: Plan) -> list[Resource]:
    """All but components, providers and files, whose end hurts nobody by itself."""
    reader = reader_of(plan.cloud)
    files = {each.type for each in plan.resources for name, _ in reader.files(each) if name != USER_DATA}
    return [
        each
        for each in plan.resources
        if not each.component and each.type not in files and not each.type.startswith("pulumi:")
    ]


def _effect_of_replacement(resource: Resource, around: Resources, table: ChangeTable) -> Effect:
    record = table.of_resource(resource, around, "replace")
    return Effect(record["effect"]) if record else Effect.UNKNOWN


def _replacing_inputs(resource: Resource, around: Resources, table: ChangeTable) -> Iterator[tuple[str, str]]:
    """Path and value of each known input of which any other value replaces the resource."""
    for path, value in leaves(resource.inputs):
        if not path or value in (UNKNOWN, SECRET):
            continue
        record = table.of_input(resource, around, InputChange(path=path, before=value, after=UNKNOWN), len(path))
        if record and record["action"] == "replace":
            yield shown(path), _shown(value)


def _read(record: str, prefix: str) -> Mapping[str, tuple[str, dict[str, str]]]:
    """URN -> what its replacement means, and the inputs that would replace it."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    urn = ""
    for line in record.splitlines():
        key, _, value = line.strip().partition(": ")
        if line.startswith("#"):
            continue
        if not line.startswith("  "):
            urn = prefix + line
            found[urn] = ("", {})
        elif key == "replaced":
            found[urn] = (value, {})
        else:
            found[urn][1][key] = value
    return found


def _type_of(urn: str) -> str:
    return urn.split("::")[2].rpartition("$")[2]


def _shown(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= _LONGEST else f"sha256 {hashlib.sha256(text.encode()).hexdigest()}"


def main(stacks: Iterable[str]) -> None:
    """Write the records of these stacks; of all, if none is named."""
    project = find_project(RELEASES)
    RELEASES.mkdir(exist_ok=True)
    for stack in [*stacks] or project.stacks:
        plan = plan_stack(project, stack).plan
        if plan is None:
            sys.exit(f"{stack} can't be planned; see: hpc preview {stack}")
        (RELEASES / f"{stack}.txt").write_text(record_of(plan), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
