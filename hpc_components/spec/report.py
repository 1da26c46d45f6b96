import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from hpc_components.spec.findings import Finding, Level
from hpc_components.spec.printable import json_text, printable
from hpc_components.spec.source import UnreadableError
from hpc_components.spec.validate import Judgement
from hpc_components.wording import plural

Format = Literal["text", "json", "github"]
FORMATS: tuple[Format, ...] = get_args(Format)

_COLOURS = {Level.ERROR: "31;1", Level.WARNING: "33;1", Level.INFO: "36"}


@dataclass(frozen=True)
class Judged:
    """A file's name and the judgement on its description."""

    file: str
    judgement: Judgement


def report(
    judged: Sequence[Judged],
    format: Format,
    *,
    unreadable: Sequence[UnreadableError] = (),
    colour: bool = False,
    width: int | None = None,
) -> str:
    """Return the findings of all descriptions in the given format.

    Unreadable files are included only in `json` and `github`; with `text`, the command reports them on standard
    error. Text is wrapped between words at `width`, the terminal's width in columns.
    """
    if format == "json":
        return _as_json(judged, unreadable)
    if format == "github":
        found = [_as_github(finding) for one in judged for finding in one.judgement.findings]
        return "\n".join([*map(_unreadable_as_github, unreadable), *found])
    return _as_text(judged, colour, width)


def _as_text(judged: Sequence[Judged], colour: bool, width: int | None) -> str:
    parts = [text_of(finding, colour, width) for one in judged for finding in one.judgement.findings]
    return "\n".join([*parts, summary(judged)])


def text_of(finding: Finding, colour: bool = False, width: int | None = None) -> str:
    """Return a finding as text: a line with the location, level and id, followed by the reason and the remedy.

    Control characters are escaped.
    """
    place = ":".join(str(part) for part in (finding.file, finding.line, finding.column) if part is not None)
    level = str(finding.level)
    head = _wrapped("", f"{place}: {level} {finding.id} {finding.path}", width)
    if colour:
        head = re.sub(rf"{level}(?=\s+{finding.id})", f"\033[{_COLOURS[finding.level]}m{level}\033[0m", head, count=1)
    return "\n".join([head, _wrapped("    ", finding.reason, width), _wrapped("    -> ", finding.remedy, width), ""])


def _wrapped(begin: str, text: str, width: int | None) -> str:
    text = printable(text)
    if width is None:
        return begin + text
    below = " " * len(begin or "    ")
    wrapper = textwrap.TextWrapper(width, begin, below, break_long_words=False, break_on_hyphens=False)
    return wrapper.fill(text)


def summary(judged: Sequence[Judged]) -> str:
    count = Counter(finding.level for one in judged for finding in one.judgement.findings)
    silenced = sum(len(one.judgement.silenced) for one in judged)
    words = [plural(count[level], str(level)) for level in (Level.ERROR, Level.WARNING)]
    words += [f"{count[Level.INFO]} info"] if count[Level.INFO] else []
    words += [f"{silenced} silenced"] if silenced else []
    return f"{', '.join(words)} in {plural(len(judged), 'cluster')}"


def _as_json(judged: Sequence[Judged], unreadable: Sequence[UnreadableError]) -> str:
    clusters = [
        {
            "file": one.file,
            "cluster": one.judgement.cluster.name if one.judgement.cluster else None,
            "findings": _dicts(one.judgement.findings),
            "silenced": _dicts(one.judgement.silenced),
        }
        for one in judged
    ]
    document = {"validate": 1, "clusters": clusters, "unreadable": [_unreadable(error) for error in unreadable]}
    return json_text(document, indent=2)


def _unreadable(error: UnreadableError) -> dict[str, Any]:
    place = {"file": error.file} | ({"line": error.at.line, "column": error.at.column} if error.at else {})
    return {key: value for key, value in place.items() if value is not None} | {"reason": error.reason}


def _dicts(findings: Iterable[Finding]) -> list[dict[str, object]]:
    return [finding.to_dict() for finding in findings]


_GITHUB = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def _as_github(finding: Finding) -> str:
    """Return a workflow command, which GitHub displays next to the offending line.

    Source: GitHub Actions, "Workflow commands".
    """
    place = {"file": finding.file, "line": finding.line, "col": finding.column}
    title = f"{finding.id} {finding.path}"
    return _annotation(_GITHUB[finding.level], place | {"title": title}, f"{finding.reason}; {finding.remedy}")


def _unreadable_as_github(error: UnreadableError) -> str:
    place = {"file": error.file} | ({"line": error.at.line, "col": error.at.column} if error.at else {})
    return _annotation("error", place, error.reason)


def _annotation(command: str, place: dict[str, Any], text: str) -> str:
    given = ",".join(f"{key}={_escape(str(value), ':,')}" for key, value in place.items() if value is not None)
    return f"::{command}{' ' if given else ''}{given}::{_escape(text)}"


def _escape(text: str, more: str = "") -> str:
    text = printable(text, keep="\n")
    for character in "%\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
