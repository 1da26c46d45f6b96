"""Writes a stack file that looks handwritten, with short mappings on one line and comments above the keys they
explain.
"""

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from hpc_components.convert.notes import Conversion, Outcome, of_outcome
from hpc_components.spec.findings import Path
from hpc_components.spec.printable import printable
from hpc_components.spec.project import CLUSTER_KEY
from hpc_components.spec.scalars import TEXT, Loader

_WIDTH = 110

_INVISIBLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
"""Characters that YAML treats as line breaks or does not allow unescaped."""

_CLUSTER: Path = ("config", CLUSTER_KEY)


def stack_text(conversion: Conversion) -> str:
    data = {"config": conversion.settings | {CLUSTER_KEY: conversion.cluster}}
    comments: dict[Path, list[str]] = {}
    for note in of_outcome(conversion.notes, Outcome.DECIDE):
        text = "; ".join(filter(None, (note.reason, note.remedy)))
        place = _existing((*_CLUSTER, *note.place), data)
        comments.setdefault(place, []).append(f"DECIDE {note.key}, line {note.line}: {text}")
    head = [
        f"# Converted from {printable(conversion.source)}, a configuration file for {conversion.format}.",
        "# `hpc validate` checks this file, `hpc preview` shows what it would create, `hpc schema` documents "
        "all keys.",
    ]
    return "\n".join([*head, *_lines(data, (), "", comments), ""])


def _existing(path: Path, data: Any) -> Path:
    """Return the longest prefix of `path` that exists in `data`."""
    found = 0
    for part in path:
        if (isinstance(data, dict) and part in data) or (isinstance(data, list) and part in range(len(data))):
            data, found = data[part], found + 1
        else:
            break
    return path[:found]


def _lines(value: Any, path: Path, indent: str, comments: Mapping[Path, list[str]]) -> Iterator[str]:
    """Yield the lines of a mapping or list that does not fit on one line."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in entries:
        place = (*path, key)
        begin = f"{_scalar(key)}:" if isinstance(value, dict) else "-"
        for comment in comments.get(place, ()):
            yield from _comment(comment, indent)
        if not isinstance(below, dict | list) or _fits(below, f"{indent}{begin}", place, comments):
            yield f"{indent}{begin} {_flow(below)}"
        elif isinstance(value, dict):
            yield f"{indent}{begin}"
            yield from _lines(below, place, f"{indent}  ", comments)
        else:
            yield from _item(list(_lines(below, place, f"{indent}  ", comments)), indent)


def _item(lines: list[str], indent: str) -> Iterator[str]:
    """Yield the lines of a list item, with the dash on the first line that is not a comment."""
    first = next(number for number, line in enumerate(lines) if not line.lstrip().startswith("#"))
    lines[first] = f"{indent}- {lines[first].lstrip()}"
    yield from lines


def _comment(text: str, indent: str) -> list[str]:
    begin = f"{indent}# "
    return textwrap.wrap(
        printable(" ".join(text.split())), _WIDTH, initial_indent=begin, subsequent_indent=f"{begin}  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _fits(value: Any, begin: str, path: Path, comments: Mapping[Path, list[str]]) -> bool:
    if any(place[: len(path)] == path and place != path for place in comments):
        return False
    below = list(value.values() if isinstance(value, dict) else value)
    depth = _depth(value)
    short = depth <= 1 or (depth == 2 and any(not isinstance(each, dict | list) for each in below))
    return short and len(begin) + len(_flow(value)) < _WIDTH


def _depth(value: Any) -> int:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if below is None else 1 + max(map(_depth, below), default=0)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    """Return a YAML scalar that both YAML 1.1 and Pulumi parse as `value`.

    Strings are quoted if they could be parsed as anything else.
    """
    if not isinstance(value, str):
        return json.dumps(value)
    plain = re.fullmatch(r"[A-Za-z0-9/][A-Za-z0-9_./+-]*|[a-z]+:[a-z]+", value)
    word = re.fullmatch(r"y|n|yes|no|on|off", value, re.IGNORECASE)
    if plain and not word and yaml.compose(value, Loader=Loader).tag == TEXT:
        return value
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
