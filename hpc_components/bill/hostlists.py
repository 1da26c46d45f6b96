"""Expands the node lists of jobs: `gpu-[1-2],login` -> `gpu-1`, `gpu-2`, `login`."""

import re

_ITEM = re.compile(r"([^,\[\]]*)(?:\[([0-9,-]+)\])?([^,\[\]]*)(?:,|$)")


def expand(hostlist: str) -> tuple[str, ...]:
    """Expand a list whose items have at most one pair of brackets. Raise ValueError for another one."""
    names: list[str] = []
    end = 0
    while end < len(hostlist):
        match = _ITEM.match(hostlist, end)
        if not match or match.end() == end:
            raise ValueError(f"{hostlist!r} is not a list of nodes")
        end = match.end()
        names += [match[1] + number + match[3] for number in (_numbers(match[2]) if match[2] else [""])]
    return tuple(names)


def _numbers(ranges: str) -> list[str]:
    found: list[str] = []
    for part in ranges.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or int(last or first) - int(first) > 10**6:
            raise ValueError(f"{part!r} is not a range of nodes")
        found += [str(number).zfill(len(first)) for number in range(int(first), int(last or first) + 1)]
    return found
