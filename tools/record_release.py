"""Records the resources that a release creates for each stack of this project, in tests/releases/<stack>.txt. Run it
for each release.

A record has a line for each resource except configuration files: its URN without stack and project. If a replacement
would do harm, the lines below it have the effect, and the known inputs whose change would replace the resource.
`changes_since` compares a record with a current plan.
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

_VALUE_CHARACTERS = 100
"""Maximum characters of a value; longer ones are recorded as hashes."""


def record_of(plan: Plan) -> str:
    """Return the record of a stack."""
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
    """Yield what an update from the recorded release to the plan would remove or replace.

    A resource whose old URN is an alias of another one is not removed.
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
    """Return all resources except components, providers and files, whose deletion does no harm by itself."""
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
    """Yield path and value of each known input whose change replaces the resource."""
    for path, value in leaves(resource.inputs):
        if not path or value in (UNKNOWN, SECRET):
            continue
        record = table.of_input(resource, around, InputChange(path=path, before=value, after=UNKNOWN), len(path))
        if record and record["action"] == "replace":
            yield shown(path), _shown(value)


def _read(record: str, prefix: str) -> Mapping[str, tuple[str, dict[str, str]]]:
    """Return, by URN, the effect of a replacement and the inputs that would cause it."""
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
    return text if len(text) <= _VALUE_CHARACTERS else f"sha256 {hashlib.sha256(text.encode()).hexdigest()}"


def main(stacks: Iterable[str]) -> None:
    """Write the records of these stacks, by default of all."""
    project = find_project(RELEASES)
    RELEASES.mkdir(exist_ok=True)
    for stack in [*stacks] or project.stacks:
        plan = plan_stack(project, stack).plan
        if plan is None:
            sys.exit(f"{stack} can't be planned; see: hpc preview {stack}")
        (RELEASES / f"{stack}.txt").write_text(record_of(plan), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
