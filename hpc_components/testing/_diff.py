import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_ABSENT = object()


@dataclass(frozen=True)
class Change:
    path: str
    """Pulumi property path, e.g. `networkInterfaces[0].subnetId`."""
    kind: str
    """`ADD`, `DELETE` or `UPDATE`."""
    replaces: bool

    @property
    def property(self) -> str:
        """The top-level property that contains the value."""
        return re.split(r"[.\[]", self.path, maxsplit=1)[0]


def changes(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    *,
    force_new: Iterable[str] = (),
    grow_only: Iterable[str] = (),
    ignore: Iterable[str] = (),
) -> list[Change]:
    """Return all differences between `old` and `new`. Neither may contain secrets.

    Args:
        old: Stored inputs.
        new: Inputs that the program specifies. Unknown values always differ from stored ones.
        force_new: Paths that can't be changed without replacing the resource. `[*]` matches any index, and a path
            includes everything nested under it.
        grow_only: Paths of numbers that can be increased in place, but not decreased without replacing the resource.
        ignore: Paths whose changes the program ignores (`ignoreChanges`).
    """
    found = []
    for path, was, now in _differences(old, new, ""):
        if _covered(path, ignore):
            continue
        shrinks = _covered(path, grow_only) and _is_number(was) and _is_number(now) and now < was
        kind = "ADD" if was is _ABSENT else "DELETE" if now is _ABSENT else "UPDATE"
        found.append(Change(path, kind, shrinks or _covered(path, force_new)))
    return found


def _differences(old: Any, new: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield (path, old value, new value) for each leaf that differs.

    Like the real provider, treat a missing object or list as equal to an empty one.
    """
    if isinstance(old, Mapping) or isinstance(new, Mapping):
        before, after = (each if isinstance(each, Mapping) else {} for each in (old, new))
        if _of_another_shape(old, new, Mapping):
            yield path, old, new
            return
        for key in sorted({*before, *after}):
            if not key.startswith("__"):  # skip keys that Pulumi's Terraform bridge uses internally
                yield from _differences(before.get(key, _ABSENT), after.get(key, _ABSENT), _below(path, key))
    elif isinstance(old, list) or isinstance(new, list):
        if _of_another_shape(old, new, list):
            yield path, old, new
            return
        before, after = (each if isinstance(each, list) else [] for each in (old, new))
        for index in range(max(len(before), len(after))):
            was, now = (each[index] if index < len(each) else _ABSENT for each in (before, after))
            yield from _differences(was, now, f"{path}[{index}]")
    elif old != new:
        yield path, old, new


def _of_another_shape(old: Any, new: Any, shape: type) -> bool:
    """Return whether either value is present but not an instance of `shape`, e.g. an unknown value instead of a
    list.
    """
    return any(each is not _ABSENT and not isinstance(each, shape) for each in (old, new))


def _below(path: str, key: str) -> str:
    if re.fullmatch(r"\w+", key):
        return f"{path}.{key}" if path else key
    return f'{path}["{key}"]'


def _covered(path: str, patterns: Iterable[str]) -> bool:
    shape = re.sub(r"\[\d+\]", "[*]", path)
    return any(shape == pattern or shape.startswith((f"{pattern}.", f"{pattern}[")) for pattern in patterns)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
