"""Expands and folds host lists, Slurm's short notation for node names, e.g. `gpu-[1-8],cpu-[1,7-9]`."""

import re
from collections.abc import Iterable

_ITEM = re.compile(r"[^,\[]+(?:\[[^\]]*\][^,\[]*)*")
_NUMBERED = re.compile(r"(.*?)([1-9][0-9]*|0)")


def expand(hostlist: str) -> tuple[str, ...]:
    """Expand a host list: `gpu-[1-2],login` -> `gpu-1`, `gpu-2`, `login`. Raise ValueError if the host list is
    malformed.
    """
    names: list[str] = []
    end = 0
    for item in _ITEM.finditer(hostlist):
        if hostlist[end : item.start()] != ("," if end else ""):
            break
        names += _unfold(item.group())
        end = item.end()
    if end != len(hostlist):
        raise ValueError(f"{hostlist!r} is not a valid host list: can't parse {hostlist[end:]!r}")
    return tuple(names)


def fold(names: Iterable[str]) -> str:
    """Return the shortest host list that expands to these names, sorted and without duplicates."""
    plain: list[str] = []
    numbers: dict[str, list[int]] = {}
    for name in set(names):
        match = _NUMBERED.fullmatch(name)
        if match:
            numbers.setdefault(match[1], []).append(int(match[2]))
        else:
            plain.append(name)
    return ",".join(sorted([*plain, *(_bracket(prefix, sorted(found)) for prefix, found in numbers.items())]))


def _unfold(item: str) -> list[str]:
    """Expand one item of a host list. An item with several brackets yields all combinations."""
    head, bracket, rest = item.partition("[")
    if not bracket:
        return [head]
    ranges, _, tail = rest.partition("]")
    tails = _unfold(tail) if tail else [""]
    return [f"{head}{number}{end}" for part in ranges.split(",") for number in _count(part) for end in tails]


def _count(part: str) -> list[str]:
    """Expand a range: `8-10` -> 8, 9, 10. Leading zeros are kept, as in `008-010`."""
    first, dash, last = part.partition("-")
    if not first.isdigit() or (dash and not last.isdigit()):
        raise ValueError(f"{part!r} is not a valid range in a host list")
    return [str(number).zfill(len(first)) for number in range(int(first), int(last or first) + 1)]


def _bracket(prefix: str, numbers: list[int]) -> str:
    parts: list[str] = []
    first = last = numbers[0]
    for number in [*numbers[1:], -1]:
        if number == last + 1:
            last = number
            continue
        parts.append(f"{first}-{last}" if last > first else str(first))
        first = last = number
    return f"{prefix}{parts[0]}" if parts == [str(numbers[0])] else f"{prefix}[{','.join(parts)}]"
