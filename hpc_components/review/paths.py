"""Paths of inputs: `networkInterfaces[0].subnetId`, in Pulumi's notation."""

import re

Path = tuple[str | int, ...]

EVERYTHING = "*"
"""Matches any key or index."""

_PART = re.compile(
    r"""\[(?P<index>\d+)\] | \["(?P<quoted>(?:[^"\\]|\\.)*)"\] | \[(?P<any>\*)\] | \.?(?P<key>[^.\[\]]+)""", re.X
)


def parsed(text: str) -> Path:
    """Return the parts of a path in Pulumi's notation: `tags["hpc:role"]`, `rules[*].port`.

    Source: Pulumi documentation, property paths.
    """
    return tuple(
        int(part["index"]) if part["index"] else (part["quoted"] or part["any"] or part["key"]).replace('\\"', '"')
        for part in _PART.finditer(text)
    )


def shown(path: Path) -> str:
    """Return `path` as text; keys with a dot, bracket or quote are in brackets."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif re.search(r'[.\[\]"]', part) or not part:
            text += '["' + part.replace('"', '\\"') + '"]'
        else:
            text += f".{part}" if text else part
    return text


def covers(outer: Path, inner: Path) -> bool:
    """Return whether `inner` is `outer` or below it."""
    return len(outer) <= len(inner) and all(
        one in (EVERYTHING, other) for one, other in zip(outer, inner, strict=False)
    )
