"""Writes GitHub Markdown, escaping untrusted text so that it is shown literally."""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from hpc_components.report.parts import Cell, Table
from hpc_components.report.wording import place
from hpc_components.spec.printable import printable

_LEVELS = {"error": "🛑", "warning": "⚠️", "info": "ℹ️"}


def escaped(text: object) -> str:
    """Escape `text` so that it is shown literally on one line, including in table cells."""
    flat = _flat(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    flat = re.sub(r"([\\`*_{}\[\]()#!|~$])", r"\\\1", flat)
    flat = re.sub(r"(?i)\b(www)(?=\.)", "\\1\u200b", flat)
    return re.sub(r"(@|#(?=\d))", "\\1\u200b", flat).replace("://", ":\u200b//")


def code(text: object) -> str:
    """Return `text` as a code span on one line. Not for table cells, where `|` ends a cell even inside a code
    span.
    """
    flat = _flat(text)
    fence = "`" * (_longest_run(flat) + 1)
    pad = " " if not flat or flat[0] == "`" or flat[-1] == "`" else ""
    return f"{fence}{pad}{flat or ' '}{pad}{fence}"


def html_code(text: object) -> str:
    """Return `text` as an HTML `code` element on one line. Use this in the titles of folded sections, because these
    titles can't contain Markdown.
    """
    return f"<code>{escape(_flat(text))}</code>"


def fenced(text: str, language: str = "text") -> str:
    """Return a code block whose fence is longer than any run of backticks in the text."""
    fence = "`" * max(3, _longest_run(text) + 1)
    body = printable(text, keep="\n\t")
    return f"{fence}{language}\n{body}{'' if body.endswith(chr(10)) else chr(10)}{fence}\n"


def label(*texts: str) -> str:
    """Return a Mermaid label with one line per text. Characters that Mermaid would interpret are encoded."""
    return "<br>".join(re.sub(r"[^\w .,:/()+·×–-]", lambda match: f"#{ord(match[0])};", text) for text in texts)


def markdown_table(table: Table) -> Iterator[str]:
    """Yield the table header with the totals, then each row."""
    table = table.without_page_columns()
    head = _row(column.title for column in table.columns) + _row([":---", *["---:"] * (len(table.columns) - 1)])
    yield head + (_row(f"**{_cell(cell)}**" for cell in table.total) if table.total else "")
    yield from (_row(map(_cell, row)) for row in table.rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _cell(cell: Cell) -> str:
    notes = ",".join(map(str, cell.notes))
    return escaped(cell.text) + (f" <sup>{notes}</sup>" if notes else "")


def finding_item(finding: Mapping[str, Any], note: str = "") -> str:
    """Return a finding as a list item: level, rule, place, `note` (Markdown), reason and remedy."""
    level = str(finding["level"])
    where = f" ({escaped(place(finding))})" if place(finding) else ""
    remedy = f"<br>→ {escaped(finding['remedy'])}" if finding["remedy"] else ""
    return (
        f"- {_LEVELS.get(level, '')} **{escaped(level)}** {code(finding['id'])} **{escaped(finding['path'])}**{where}"
        f"{note}<br>{escaped(finding['reason'])}{remedy}\n"
    )


def _flat(text: object) -> str:
    return printable(" ".join(str(text).split()))


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
