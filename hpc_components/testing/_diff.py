"""Finds differences between two sets of inputs, and determines whether the cloud can apply them in place."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_ABSENT = object()


@dataclass(frozen=True)
class Change:
    """A value that differs."""

    path: str
    """Pulumi property path, e.g. `networkInterfaces[0].subnetId`."""
    kind: str
    """Kind of change: `ADD`, `DELETE` or `UPDATE`."""
    replaces: bool
    """Whether the change requires a replacement."""

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
        new: Inputs that the program specifies. Unknown values count as different.
        force_new: Paths that can't be changed without a replacement, with `[*]` for any index. Everything below a
            path is included.
        grow_only: Paths of numbers that can be raised in place but can't be lowered without a replacement.
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

    A missing object or list is considered equal to an empty one, as it is by the real provider.
    """
    if isinstance(old, Mapping) or isinstance(new, Mapping):
        before, after = (each if isinstance(each, Mapping) else {} for each in (old, new))
        if _of_another_shape(old, new, Mapping):
            yield path, old, new
            return
        for key in sorted({*before, *after}):
            if not key.startswith("__"):  # keys used internally by Pulumi's Terraform bridge
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
    """Return whether at least one of the values has a different shape, e.g. is unknown instead of a list. Missing
    values don't count."""
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
