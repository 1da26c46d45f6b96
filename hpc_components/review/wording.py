import json
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

import yaml

from hpc_components.preview.resources import SECRET, UNKNOWN
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import (
    ABSENT,
    Change,
    ChangedFinding,
    DescriptionChange,
    Gap,
    Operation,
    Part,
    Review,
)
from hpc_components.wording import listed


class Urgency(StrEnum):
    ALARM = "alarm"
    """The change causes harm, or Pulumi refuses it."""
    LOOK = "look"
    """A reviewer must decide whether the change is acceptable."""
    FINE = "fine"


_WORDS = {
    Effect.DATA_LOST: "data is lost",
    Effect.LEFT_BEHIND: "data stays behind",
    Effect.REFUSED: "the cloud refuses the change",
    Effect.NODES_END: "nodes end",
    Effect.FILES_AWAY: "files are temporarily unreachable",
    Effect.HEAD_REPLACED: "the head node is replaced",
    Effect.HEAD_RESTARTS: "the head node restarts",
    Effect.SESSIONS_CUT: "login sessions end",
    Effect.UNPROTECTED: "protection is removed",
    Effect.UNKNOWN: "the provider decides",
    Effect.KEPT: "the removal has no effect",
    Effect.ACCESS: "access changes",
    Effect.SLURMCTLD_RESTARTS: "slurmctld rereads its configuration",
    Effect.NEW_NODES: "new nodes only",
    Effect.LIVE: "live",
}

_SENTENCES = {
    Effect.DATA_LOST: "All data stored there is deleted unless you save it first.",
    Effect.LEFT_BEHIND: "The stored data stays in the cloud, but the cluster can't access it until you copy it.",
    Effect.REFUSED: "The cloud refuses this change, so the update fails partway through.",
    Effect.NODES_END: "The queue's nodes are terminated, either along with their jobs or after the jobs end.",
    Effect.FILES_AWAY: "The files are temporarily unreachable, but no data is lost.",
    Effect.HEAD_REPLACED: "A new head node takes over. Jobs keep running, but sessions on the old head node end.",
    Effect.HEAD_RESTARTS: "The head node restarts. Jobs keep running, but no jobs can be submitted in the meantime.",
    Effect.SESSIONS_CUT: "Users on login nodes lose their sessions.",
    Effect.UNPROTECTED: "After this change, `pulumi destroy` deletes the resource and everything in it.",
    Effect.UNKNOWN: "The provider decides at run time what this change does.",
    Effect.KEPT: "The provider keeps the current value.",
    Effect.ACCESS: "Permissions or network access change.",
    Effect.SLURMCTLD_RESTARTS: "slurmctld restarts or rereads its configuration; jobs keep running.",
    Effect.NEW_NODES: "Only machines launched after this change are affected; running machines stay unchanged.",
    Effect.LIVE: "Nothing that is running is affected.",
}

_DONE = {
    Operation.DELETE: "deleted",
    Operation.REPLACE: "replaced",
    Operation.FORGET: "left in the cloud",
    Operation.UNPROTECT: "no longer kept",
    Operation.UPDATE: "changed",
    Operation.KEEP: "left as is",
    Operation.CREATE: "created",
}

SECTIONS = {Urgency.ALARM: "What is lost or interrupted", Urgency.LOOK: "What to look at"}
"""Maps urgencies to the titles of a report's unfolded sections, in order."""

_PARTS = {
    Part.DESCRIPTION: "changes to the description",
    Part.FILES: "changes to files",
    Part.FINDINGS: "findings from the rules",
    Part.PEOPLE: "who gains or loses access",
    Part.COST: "cost",
    Part.QUOTAS: "quotas",
    Part.POLICIES: "violations of policies",
}

_MARKS = {SECRET: "(secret)", UNKNOWN: "(unknown)", ABSENT: "(none)"}

_VALUE_CHARACTERS = 160

_LISTED_PLACES = 6

_CONTEXT_CHARACTERS = 20
"""Number of characters shown before the first difference between long values."""


def effect_words(effect: Effect) -> str:
    return _WORDS[effect]


def effect_sentence(change: Change) -> str:
    return change.words or _SENTENCES[change.effect]


def means(change: Change) -> str:
    if change.effect is Effect.NEW_NODES and change.operation is Operation.DELETE:
        return "no longer applies to new nodes"
    return effect_words(change.effect)


def done(change: Change) -> str:
    return _DONE[reported_operation(change)]


def reported_operation(change: Change) -> Operation:
    """Return the operation to report. A replaced configuration file is reported as updated."""
    is_other_text = change.is_file and change.operation is Operation.REPLACE
    return Operation.UPDATE if is_other_text else change.operation


def stops(change: Change) -> bool:
    """Return whether Pulumi stops because the resource is protected, even if it would stay in the cloud."""
    return change.protected and change.operation in (Operation.DELETE, Operation.REPLACE, Operation.FORGET)


def urgency_of(change: Change) -> Urgency:
    if change.effect.rank <= Effect.SESSIONS_CUT.rank or stops(change):
        return Urgency.ALARM
    if (
        change.effect in (Effect.UNPROTECTED, Effect.UNKNOWN, Effect.KEPT, Effect.ACCESS)
        or change.operation is Operation.FORGET
    ):
        return Urgency.LOOK
    return Urgency.FINE


def urgency_of_line(change: DescriptionChange) -> Urgency:
    """Return the urgency of a change in the description that has a caution."""
    return Urgency.ALARM if change.effect is Effect.LEFT_BEHIND else Urgency.LOOK


def urgency(review: Review) -> Urgency:
    """Return the highest urgency in a review. A failure is an alarm, and so is an error that may be new."""
    found = {urgency_of(change) for change in review.changes}
    found |= {urgency_of_line(change) for change in review.description if change.caution}
    found |= {Urgency.LOOK for _ in (*review.notes, *review.people)}
    if review.failure or unknown_errors(review):
        return Urgency.ALARM
    return next((each for each in Urgency if each in found), Urgency.FINE)


def unknown_errors(review: Review) -> int:
    """Return the number of errors among the findings that are new or may be new."""
    found = review.findings
    worse = (each.after for each in found.changed if each.before["level"] != each.after["level"])
    return sum(finding["level"] == "error" for finding in (*found.now, *found.new, *worse))


def gap_line(gaps: Iterable[Gap]) -> str:
    parts = ", ".join(_PARTS[gap.part] for gap in gaps)
    return f"Not known: {parts}." if parts else ""


def gap_words(gaps: Iterable[Gap]) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for gap in gaps:
        by_reason.setdefault(gap.reason, []).append(_PARTS[gap.part])
    return [f"Not known: {' and '.join(parts)}, since {reason}." for reason, parts in by_reason.items()]


def kind_of(type: str) -> str:
    """Return the type without its package and module.

    If the result would be unclear, a word is added, e.g. `lustre Instance` or `gcp provider`.
    """
    package_and_module, _, kind = type.rpartition(":")
    if package_and_module == "pulumi:providers":
        return f"{kind} provider"
    module = package_and_module.rpartition(":")[2].partition("/")[0]
    return f"{module} {kind}" if kind == "Instance" and module else kind


def named(urn: str) -> tuple[str, str]:
    """Return a resource's kind and name from its URN, e.g. `("Vpc", "cfd")`."""
    head, _, name = urn.rpartition("::")
    return kind_of(head.rpartition("::")[2].rpartition("$")[2]), name


def changed_by(
    before: Any, after: Any, *, as_yaml: bool = False, longest: int = _VALUE_CHARACTERS
) -> tuple[str, str]:
    """Return both values of a change, each as a single line, with placeholders for secret, unknown and missing
    values.

    Values longer than `longest` characters are shortened to an excerpt around the first difference. Lists and
    mappings are written as JSON or, with `as_yaml`, as YAML.
    """
    plain: Callable[[Any], str] = _yaml if as_yaml else _plain
    one, other = plain(before), plain(after)
    if max(len(one), len(other)) <= longest or is_mark(one) or is_mark(other):
        return _cut(one, 0, longest), _cut(other, 0, longest)
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return _cut(one, same, longest), _cut(other, same, longest)


def finding_changed_by(change: ChangedFinding, longest: int = _VALUE_CHARACTERS) -> tuple[str, str] | None:
    """Return a finding's values before and after, in the form of `changed_by`.

    If the values are the same, return both levels. If the levels are also the same, return None.
    """
    for key in ("value", "level"):
        before, after = change.before.get(key), change.after.get(key)
        if before != after:
            return changed_by(before, after, longest=longest)
    return None


def places_changed(change: ChangedFinding) -> str:
    found = {"now also": change.added, "no longer": change.removed}
    return "; ".join(f"{words} {listed(places, _LISTED_PLACES)}" for words, places in found.items() if places)


def is_mark(text: str) -> bool:
    return text in _MARKS.values()


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return _MARKS.get(value, value or '""')
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # drop the decimal point
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _yaml(value: Any) -> str:
    if not isinstance(value, dict | list):
        return _plain(value)
    flow = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=float("inf"))
    return flow.strip()


def _cut(text: str, first: int, longest: int) -> str:
    start = max(first - _CONTEXT_CHARACTERS, 0)
    end = start + longest
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
