import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.preview.clouds import reader_of_type
from hpc_components.preview.resources import Resource, Resources
from hpc_components.review.compare import InputChange
from hpc_components.review.document import ABSENT
from hpc_components.review.paths import Path

Record = Mapping[str, Any]

_ANY_INPUT = "*"
"""Value of `property` in a type's fallback record, which applies to inputs without their own record."""

_MAY_KEEP = "The cloud may keep the current value; no source documents whether removing the input changes anything."


class ChangeTable:
    """Looks up records by type in the clouds' `plan/data/changes.json` and the products' `changes.json`.

    The most specific matching record applies. A record for the input itself takes precedence over a record for an
    outer input. If several records remain, those with `name_like` take precedence, then those with `within`, then
    those with `when`.
    """

    def __init__(self, *tables: RecordsByKind | None) -> None:
        self._by_type: dict[tuple[str, str], list[Record]] = {}
        for records in filter(None, tables):
            for kind in ("property", "resource", "kept"):
                for record in records.records(kind):
                    self._by_type.setdefault((kind, record["type"]), []).append(record)

    @classmethod
    def for_clouds_of(cls, *sides: Resources) -> "ChangeTable":
        """Return the combined table for all clouds that either side uses. A stack that moves to another cloud uses
        two.
        """
        packages = sorted({each.type.partition(":")[0] for side in sides for each in side})
        return cls(*(reader_of_type(f"{package}:").changes() for package in packages))

    def of_input(self, resource: Resource, around: Resources, change: InputChange, depth: int) -> Record | None:
        """Return the record for a change to an input of `resource`, or None if no record matches. `around` is the set
        of resources that contains `resource`.

        For an added or removed value, `depth` is the length of the value's path, which is 1 for a whole input.
        """
        candidates = []
        for record in self._holding("property", resource, around):
            size = _reach(record["property"], change.path)
            if size is not None and _happens(record.get("when"), change, is_whole=depth <= size):
                candidates.append((size, _detail(record), record))
        found = max(candidates, key=lambda each: each[:2])[2] if candidates else None
        if change.after == ABSENT and not (found and found.get("when") == "removed"):
            return self._kept(resource, change.path, depth) or found
        return found

    def _kept(self, resource: Resource, path: Path, depth: int) -> Record | None:
        """Return a record if the provider keeps, or may keep, the input's value when the input is removed. Otherwise,
        return None.
        """
        for record in self._by_type.get(("kept", resource.type), ()):
            if any(_reach(named, path) == depth for named in record["properties"]):
                said = {"action": "unknown", "words": _MAY_KEEP} if record.get("unsure") else {"action": "kept"}
                return {**said, "source": record["source"]}
        return None

    def of_resource(self, resource: Resource, around: Resources, operation: str) -> Record | None:
        """Return the record for an operation on a whole resource, or None if no record matches.

        The operation is `create`, `delete`, `replace` or `forget`. `forget` removes the resource from the stack, but
        not from the cloud.
        """
        operations = ("replace", "delete") if operation == "replace" else (operation,)
        for each in operations:
            found = [record for record in self._holding("resource", resource, around) if record["op"] == each]
            if found:
                return max(found, key=_detail)
        return None

    def _holding(self, kind: str, resource: Resource, around: Resources) -> Iterator[Record]:
        for record in self._by_type.get((kind, resource.type), ()):
            within, pattern = record.get("within"), record.get("name_like")
            if within and within not in (each.kind for each in _above(resource, around)):
                continue
            if not pattern or fnmatchcase(_own_name(resource, around), pattern):
                yield record


def _detail(record: Record) -> tuple[int, bool, bool]:
    """Return a sort key for how specific a record is. A longer pattern is more specific."""
    return len(record.get("name_like", "")), "within" in record, "when" in record


def _reach(named: str, path: Path) -> int | None:
    """Return how many parts of `path` lead to the input `named`, or None if `path` does not lead there.

    Records name inputs without list indices.
    """
    if named == _ANY_INPUT:
        return 0
    names = named.split(".")
    for size, part in enumerate(path, 1):
        if isinstance(part, int):
            continue
        if part != names.pop(0):
            return None
        if not names:
            return size
    return None


def _happens(when: str | None, change: InputChange, *, is_whole: bool) -> bool:
    before, after = change.before, change.after
    match when:
        case None:
            return True
        case "added":
            return is_whole and before == ABSENT
        case "removed":
            return is_whole and after == ABSENT
        case "more":
            return not is_whole and before == ABSENT
        case "grows" | "shrinks":
            one, other = _number(before), _number(after)
            return one is not None and other is not None and (other > one if when == "grows" else other < one)
    raise ValueError(f"a change record has an unknown `when`: {when!r}")


def _number(value: Any) -> float | None:
    """Return a number, even if a provider writes it as text (e.g. `"1200"`), or None for anything else."""
    if isinstance(value, str):
        return float(value) if re.fullmatch(r"\d+(\.\d+)?", value) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _above(resource: Resource, around: Resources) -> Iterator[Resource]:
    parent = around.parent(resource)
    while parent is not None:
        yield parent
        parent = around.parent(parent)


def _own_name(resource: Resource, around: Resources) -> str:
    """Return the name without its component's name, e.g. `head/slurm.conf` for `cfd-config/head/slurm.conf`."""
    parent = around.parent(resource)
    return resource.name.removeprefix(parent.name).lstrip("/-") if parent else resource.name
