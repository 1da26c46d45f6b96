import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hpc_components.preview.clouds import cloud_of_resources, reader_of_type
from hpc_components.preview.files import USER_DATA, generated_files
from hpc_components.preview.plan import Plan
from hpc_components.preview.resources import Resources
from hpc_components.review.access import openings, with_grants
from hpc_components.review.cautions import with_cautions
from hpc_components.review.cost import cost_change
from hpc_components.review.description import description_changes
from hpc_components.review.document import Change, FileChange, QuotaChange, Review, Side
from hpc_components.review.findings import finding_changes
from hpc_components.review.judge import judge
from hpc_components.review.people import people_changes
from hpc_components.review.table import ChangeTable
from hpc_components.wording import listed

_Json = Mapping[str, Any]

_RENAMED = (
    "This stack was previously named {old}. Pulumi treats a renamed stack as a new one: unless you run "
    "`pulumi stack rename` first, `pulumi up` creates everything a second time. This review assumes that you "
    "rename the stack first."
)
_ENCRYPTED = (
    "Re-encrypted in the configuration: {paths}. A plan can't tell whether the values differ, so resources "
    "that use them may change."
)
_LISTED_PATHS = 10
_NAME_CHARACTERS = 80

_GONE = "This change by itself deletes nothing. The effects listed here are those of `pulumi destroy -s {stack}`."


def review(before: Plan | None, after: Plan | None, *, sides: tuple[Side, Side]) -> Review:
    """Return the review of a stack. `before` is None if the stack is new, and `after` is None if it is removed.

    Raise ValueError if both are None.
    """
    here = after or before
    if here is None:
        raise ValueError("a review needs a plan for at least one side")
    notes = [] if after else [_GONE.format(stack=here.stack)]
    if before and after:
        notes += _encrypted_anew(before.encrypted or {}, after.encrypted or {})
        was, will = _home(before), _home(after)
        if was and will and was != will:
            notes.append(_RENAMED.format(old="/".join(part[:_NAME_CHARACTERS] for part in reversed(was.split("::")))))
            before = _renamed(before, was, will)
    old, new = (plan.resources if plan else Resources(()) for plan in (before, after))
    changes = with_files(judge(old, new, ChangeTable.for_clouds_of(old, new)), (old, new))
    is_known = before is not None and after is not None  # in a new or removed stack, every rule is new or removed
    opened, closed = openings(old, new) if is_known else ((), ())
    return Review(
        stack=here.stack,
        project=here.project,
        cloud=here.cloud,
        cluster=here.cluster,
        region=here.region,
        before=sides[0],
        after=sides[1],
        changes=with_mounts(with_grants(changes, old, new) if is_known else changes, old, _described(before)),
        opened=opened,
        closed=closed,
        people=people_changes(old, new) if is_known else (),
        description=_description(before, after),
        files=tuple(file_changes(old, new)),
        findings=finding_changes(before, after),
        cost=cost_change(before.cost if before else None, after.cost if after else None, remaining(changes)),
        quotas=tuple(quota_changes(before.quota if before else (), after.quota if after else ())),
        notes=tuple(notes),
    )


def _encrypted_anew(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield a note about re-encrypted values. Values that are plain text on one side are left out, because they
    visibly differ.
    """
    paths = [path for path in sorted(before.keys() & after.keys()) if before[path] != after[path]]
    if paths:
        yield _ENCRYPTED.format(paths=listed((path[:_NAME_CHARACTERS] for path in paths), _LISTED_PATHS))


def _home(plan: Plan) -> str | None:
    """Return the stack and project as written in URNs, or None if the plan has no resources.

    `pulumi stack rename` changes this part of every URN.
    """
    urn = next((each.urn for each in plan.resources), "")
    found = re.match(r"urn:pulumi:(.+?::.+?)::", urn)
    return found[1] if found else None


def _renamed(plan: Plan, was: str, will: str) -> Plan:
    return Plan.from_json(plan.to_json().replace(f"urn:pulumi:{was}::", f"urn:pulumi:{will}::"))


def failed_review(stack: str, project: str, failure: str, *, sides: tuple[Side, Side]) -> Review:
    """`failure` states which side failed and why."""
    return Review(
        stack=stack,
        project=project,
        cloud="",
        cluster="",
        region="",
        before=sides[0],
        after=sides[1],
        failure=failure,
    )


def with_files(changes: Iterable[Change], sides: Iterable[Resources]) -> tuple[Change, ...]:
    every = (each for side in sides for each in side)
    files = {each.type for each in every for name, _ in reader_of_type(each.type).files(each) if name != USER_DATA}
    return tuple(replace(change, is_file=True) if change.type in files else change for change in changes)


def remaining(changes: Iterable[Change]) -> frozenset[str]:
    return frozenset(change.urn for change in changes if change.remains)


def with_mounts(changes: Iterable[Change], before: Resources, described: _Json) -> tuple[Change, ...]:
    """Add the mount points of the described file systems to the changes.

    File systems are recognised by name: the resources of a file system, or the component that contains them, are
    named `<cluster>-<key>`.
    """
    cluster, storage = described.get("name"), described.get("storage")
    entries = storage.items() if isinstance(storage, Mapping) else ()
    mounts = {f"{cluster}-{key}": str(each.get("mount", "")) for key, each in entries if isinstance(each, Mapping)}
    parts = {each.urn: each.name for each in before if each.component}
    return tuple(
        replace(change, mount=mounts.get(parts.get(change.parent or "", change.name), "")) for change in changes
    )


def _described(plan: Plan | None) -> _Json:
    found = plan.description["value"] if plan and plan.description else {}
    return found if isinstance(found, Mapping) else {}


def _description(before: Plan | None, after: Plan | None) -> tuple[Any, ...]:
    if before is None or after is None or before.description is None or after.description is None:
        return ()
    return with_cautions(description_changes(before.description, after.description), _described(after))


def file_changes(before: Resources, after: Resources) -> Iterable[FileChange]:
    """Yield the files that differ: slurm.conf first, then the others, sorted by name.

    If several files have the same name, they are paired in order.
    """
    old, new = _texts(before), _texts(after)
    for name in sorted({*old, *new}, key=lambda name: (not name.endswith("/slurm.conf"), name)):
        one, other = old.get(name, []), new.get(name, [])
        gone, come = ([text for text in mine if text not in theirs] for mine, theirs in ((one, other), (other, one)))
        for index in range(max(len(gone), len(come))):
            texts = (side[index] if index < len(side) else "" for side in (gone, come))
            yield FileChange(name=name, before=next(texts), after=next(texts))


def _texts(resources: Resources) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in generated_files(resources, cloud_of_resources(resources)):
        found.setdefault(file.name, []).append(file.text)
    return found


def quota_changes(before: Sequence[_Json], after: Sequence[_Json]) -> Iterable[QuotaChange]:
    """Yield the quotas whose required amount changes, starting with quotas that must be raised.

    Quotas are compared by region, unless one of the plans was written by an earlier release and has no regions.
    """
    by_region = all("region" in each for each in (*before, *after))
    parts = ("service", "name", "code", *(["region"] if by_region else []))
    old, new = ({tuple(map(each.get, parts)): each for each in side} for side in (before, after))
    for key in dict.fromkeys([*new, *old]):
        was, will = old.get(key), new.get(key)
        here = will or old[key]
        needs = was["need"] if was else 0, will["need"] if will else 0
        if needs[0] != needs[1]:
            yield QuotaChange(
                code=here["code"] or "",
                name=here["name"],
                unit=here["unit"],
                before=needs[0],
                after=needs[1],
                default=here["default"],
                ask=bool(will and will["ask"]),
                region=here.get("region") or "",
            )
