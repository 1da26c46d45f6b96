"""Findings as a person, a program or GitHub reads them."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from hpc_components.spec.findings import Finding, Level
from hpc_components.spec.judge import Judgement

__all__ = ["FORMATS", "Judged", "report"]

FORMATS = ("text", "json", "github")

_COLOURS = {Level.ERROR: "31;1", Level.WARNING: "33;1", Level.INFO: "36"}


@dataclass(frozen=True)
class Judged:
    """One description and what is to be said about it."""

    file: str
    judgement: Judgement


def report(judged: Sequence[Judged], format: Literal["text", "json", "github"], *, colour: bool = False) -> str:
    """All findings of all descriptions."""
    if format == "json":
        return _as_json(judged)
    if format == "github":
        return "\n".join(_as_github(finding) for one in judged for finding in one.judgement.findings)
    return _as_text(judged, colour)


def _as_text(judged: Sequence[Judged], colour: bool) -> str:
    parts = [text_of(finding, colour) for one in judged for finding in one.judgement.findings]
    return "\n".join([*parts, summary(judged)])


def text_of(finding: Finding, colour: bool) -> str:
    """One finding: place, level and id; the reason; the way out."""
    place = ":".join(str(part) for part in (finding.file, finding.line, finding.column) if part is not None)
    level = f"\033[{_COLOURS[finding.level]}m{finding.level}\033[0m" if colour else str(finding.level)
    return f"{place}: {level} {finding.id} {finding.path}\n    {finding.reason}\n    -> {finding.remedy}\n"


def summary(judged: Sequence[Judged]) -> str:
    """How many findings of each level there are, in one line."""
    count = Counter(finding.level for one in judged for finding in one.judgement.findings)
    silenced = sum(len(one.judgement.silenced) for one in judged)
    words = [_plural(count[level], str(level)) for level in (Level.ERROR, Level.WARNING)]
    words += [f"{count[Level.INFO]} info"] if count[Level.INFO] else []
    words += [f"{silenced} silenced"] if silenced else []
    return f"{', '.join(words)} in {_plural(len(judged), 'cluster')}"


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


def _as_json(judged: Sequence[Judged]) -> str:
    clusters = [
        {
            "file": one.file,
            "cluster": one.judgement.cluster.name if one.judgement.cluster else None,
            "findings": _dicts(one.judgement.findings),
            "silenced": _dicts(one.judgement.silenced),
        }
        for one in judged
    ]
    return json.dumps({"validate": 1, "clusters": clusters}, indent=2, sort_keys=True, ensure_ascii=False)


def _dicts(findings: Iterable[Finding]) -> list[dict[str, object]]:
    return [finding.to_dict() for finding in findings]


_GITHUB = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def _as_github(finding: Finding) -> str:
    """A workflow command, which GitHub shows beside the line. Source: GitHub Actions, "Workflow commands"."""
    place = {
        "file": finding.file,
        "line": finding.line,
        "col": finding.column,
        "title": f"{finding.id} {finding.path}",
    }
    given = ",".join(f"{key}={_escape(str(value), ':,')}" for key, value in place.items() if value is not None)
    return f"::{_GITHUB[finding.level]} {given}::{_escape(f'{finding.reason}; {finding.remedy}')}"


def _escape(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
