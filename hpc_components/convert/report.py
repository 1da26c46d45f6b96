import json
from collections import Counter
from dataclasses import asdict
from typing import Any

from hpc_components.convert.notes import Conversion, Note, Outcome, of_outcome
from hpc_components.spec.printable import json_text, printable
from hpc_components.spec.report import Judged, report

_ABOUT = {
    Outcome.DECIDE: "to decide",
    Outcome.CORRECTED: "corrected",
    Outcome.DROPPED: "dropped",
    Outcome.TAKEN: "taken over",
}


def text_report(conversion: Conversion, judged: Judged, *, colour: bool = False, width: int | None = None) -> str:
    parts = []
    for outcome in _ABOUT:
        found = of_outcome(conversion.notes, outcome)
        parts += [_line(conversion, note) if _is_plain(note) else _explained(conversion, note) for note in found]
        parts += [""] if any(map(_is_plain, found)) else []
    count = Counter(note.outcome for note in conversion.notes)
    counts = ", ".join(f"{count[outcome]} {words}" for outcome, words in _ABOUT.items())
    findings = report([judged], "text", colour=colour, width=width)
    return "\n".join([*parts, f"{conversion.source}: {counts}", "", findings])


def json_report(conversion: Conversion, judged: Judged, stack_file: str) -> str:
    document = {
        "convert": 1,
        "source": conversion.source,
        "format": conversion.format,
        "stack_file": stack_file,
        "notes": [_plain(note) for note in conversion.notes],
        "judgement": json.loads(report([judged], "json")),
    }
    return json_text(document, indent=2)


def _plain(note: Note) -> dict[str, Any]:
    plain = asdict(note) | {"outcome": str(note.outcome)}
    del plain["place"]
    return {key: value for key, value in plain.items() if value not in ("", None)}


def _is_plain(note: Note) -> bool:
    return note.outcome is Outcome.TAKEN and not note.reason


def _line(conversion: Conversion, note: Note) -> str:
    return printable(f"{_place(conversion, note)}: {note.outcome} {note.key} -> {note.made}")


def _explained(conversion: Conversion, note: Note) -> str:
    value = "" if note.value is None else f": {_word(note.value)}"
    lines = [f"{_place(conversion, note)}: {note.outcome} {note.key}{value}", f"    {note.reason}"]
    then = "; ".join(filter(None, (note.made, note.remedy)))
    lines += [f"    -> {then}"] if then else []
    return "\n".join([*map(printable, lines), ""])


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _place(conversion: Conversion, note: Note) -> str:
    return f"{conversion.source}:{note.line}:{note.column}"
