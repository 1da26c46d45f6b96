import re

Path = tuple[str | int, ...]

EVERYTHING = "*"
"""Matches any key or index."""

_PART = re.compile(
    r"""\[(?P<index>\d+)\] | \["(?P<quoted>(?:[^"\\]|\\.)*)"\] | \[(?P<any>\*)\] | \.?(?P<key>[^.\[\]]+)""", re.X
)


def parsed(text: str) -> Path:
    """Return the parts of a path in Pulumi's notation, such as `tags["hpc:role"]` or `rules[*].port`.

    Source: Pulumi documentation, property paths.
    """
    return tuple(
        int(part["index"]) if part["index"] else (part["quoted"] or part["any"] or part["key"]).replace('\\"', '"')
        for part in _PART.finditer(text)
    )


def shown(path: Path) -> str:
    """Return `path` as text. Keys that contain a dot, bracket or quotation mark are written in brackets."""
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
    """Return whether `inner` is equal to `outer` or nested in it."""
    return len(outer) <= len(inner) and all(
        one in (EVERYTHING, other) for one, other in zip(outer, inner, strict=False)
    )
