import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote, unquote

from hpc_components.report.body import BUDGET, Body
from hpc_components.report.markdown import code, escaped, fenced, finding_item, html_code, markdown_table
from hpc_components.report.parts import Table
from hpc_components.report.wording import count, place
from hpc_components.review.changes_by_component import groups, outline_of
from hpc_components.review.cost_and_quota_tables import (
    cost_differs,
    cost_note,
    key_figures,
    other_quotas,
    queues_table,
    quotas_table,
    totals_table,
)
from hpc_components.review.document import ChangedFinding, CostChange, QuotaChange, Review
from hpc_components.review.headline import verdict
from hpc_components.review.render.diffs import TextDiff, diffs_of
from hpc_components.review.render.items import description_items, group_items, point_items, tree_items
from hpc_components.review.render.picture import picture_of
from hpc_components.review.side_labels import command, place_words, side_words, time_words
from hpc_components.review.wording import (
    SECTIONS,
    Urgency,
    capital,
    finding_changed_by,
    gap_line,
    gap_words,
    places_changed,
    urgency,
)

_SIGNS = {Urgency.ALARM: "🛑", Urgency.LOOK: "⚠️", Urgency.FINE: "✅"}

_DIFF_BYTES = 6_000


_ONE_SIDED = 8
"""Maximum number of new and removed files whose texts are shown."""


def render_markdown_review(review: Review, budget: int = BUDGET, *, time: datetime | None = None) -> str:
    """Return `review` as Markdown of at most `budget` bytes in UTF-8. `budget` must be at least 1,000.

    The first line is the result of `marker`. Items that do not fit are left out, with a note. `time` is when the
    review was made.
    """
    pointer = code(command(review))
    body = Body(budget, pointer)
    body.add(f"{marker(review.project, review.stack)}\n")
    body.add(_title(review, time))
    if review.failure:
        _failure(body, review)
        return body.text
    for section, title in SECTIONS.items():
        if items := [*point_items(review, section), *group_items(groups(review.changes, section))]:
            body.section(title, items, share=0.3)
    if review.description:
        body.section("Changed in the description", description_items(review.description), share=0.2)
    if review.cost and cost_differs(review.cost):
        body.section("Cost", _cost(review.cost), share=0.2)
    if (quotas := quotas_table(review.quotas)).rows:
        body.section("Quotas", _quotas(quotas, review.quotas), share=0.1)
    _findings(body, review)
    outline = outline_of(review.changes)
    if review.changes:
        body.details(
            f"Changes by component, {count(len(review.changes), 'resource')}", tree_items(outline), share=0.5
        )
    if diffs := diffs_of(review.files):
        body.details(f"Generated files that differ, {len(diffs):,}", _diff_items(diffs, pointer), share=0.8)
    if gaps := gap_words(review.gaps):
        body.details("Why these parts are not known", (f"- {escaped(words)}\n" for words in gaps), share=0.1)
    if outline.roots:
        body.details("Picture", [fenced(picture_of(outline.roots), "mermaid")])
    return body.text


def marker(project: str, stack: str) -> str:
    """Return the hidden line that identifies this stack's comments, so that later runs can find them."""
    return f"<!-- hpc-review: {_quoted(project)}/{_quoted(stack)} -->"


def marked_stack(project: str, line: str) -> str | None:
    """Return the stack named in a line that `marker` created, or None if the line is not a marker of this project."""
    found = re.fullmatch(rf"<!-- hpc-review: {re.escape(_quoted(project))}/(\S+) -->", line)
    return unquote(found[1]) if found else None


def _quoted(name: str) -> str:
    return quote(name, safe="", errors="replace")


def _title(review: Review, time: datetime | None) -> str:
    sides = " → ".join(_side(*side_words(side)) for side in (review.before, review.after))
    moment = f", {time_words(time)}" if time else ""
    where = place_words(review)
    text = f"## {escaped(review.stack)}\n\n{escaped(where)}{': ' if where else ''}{sides}{moment}\n\n"
    text += f"{_SIGNS[urgency(review)]} **{escaped(capital(verdict(review)))}.**\n"
    figures = key_figures(review)
    lines = (figures, *review.notes, gap_line(review.gaps))
    return text + "".join(f"\n{escaped(each)}\n" for each in filter(None, lines))


def _side(source: str, commit: str) -> str:
    return f"{code(source)} ({code(commit)})" if commit else code(source)


def _failure(body: Body, review: Review) -> None:
    body.add("\nWhat an earlier comment said no longer holds.\n\n")
    if text := _tail(review.failure, body.room):
        body.add(text)


def _tail(text: str, room: int) -> str:
    """Return a code block with as many of the last lines as fit into `room` bytes.

    The last lines are kept because that is where programs report errors.
    """
    lines = text.split("\n")

    def block(first: int) -> str:
        return fenced("\n".join(lines[first:]))

    first = bisect_left(range(len(lines)), True, key=lambda index: len(block(index).encode()) <= room)
    if first < len(lines):
        return block(first)
    return fenced(f"…{lines[-1][-room // 10 :]}") if room > 100 else ""


def _cost(cost: CostChange) -> Iterator[str]:
    totals, queues = totals_table(cost), queues_table(cost)
    if totals.rows:
        yield "".join(markdown_table(totals)) + "\n"
    yield f"{escaped(cost_note(cost))}\n"
    if queues.rows:
        yield "\n"
        yield from markdown_table(queues)


def _quotas(table: Table, quotas: Sequence[QuotaChange]) -> Iterator[str]:
    head, *rows = markdown_table(table)
    yield f"To be raised before the first job:\n\n{head}"
    yield from rows
    if others := other_quotas(quotas):
        yield f"\n{others}\n"


def _findings(body: Body, review: Review) -> None:
    found = review.findings
    if found.new:
        body.section("New findings", map(finding_item, found.new), share=0.2)
    if any(finding["level"] == "error" for finding in found.now):
        body.section("Findings", map(finding_item, found.now), share=0.2)
    elif found.now:
        body.details(count(len(found.now), "finding"), map(finding_item, found.now), share=0.2)
    if found.changed:
        body.section("Findings that changed", map(_changed, found.changed), share=0.1)
    if found.silenced:
        body.section("Silenced findings", map(_silenced, found.silenced), share=0.1)
    if found.fixed:
        body.section("Fixed findings", map(_fixed, found.fixed), share=0.1)
    if found.still:
        title = f"{count(len(found.still), 'finding')} still there"
        body.details(title, map(finding_item, found.still), share=0.2)


def _changed(change: ChangedFinding) -> str:
    words = " → ".join(map(code, finding_changed_by(change) or ())), escaped(places_changed(change))
    return finding_item(change.after, f": {'; '.join(filter(None, words))}")


def _silenced(finding: Mapping[str, Any]) -> str:
    return f"{_finding_line('🔇', finding)}<br>Not reported: {escaped(finding['silenced'])}\n"


def _fixed(finding: Mapping[str, Any]) -> str:
    return f"{_finding_line('✅', finding)}\n"


def _finding_line(sign: str, finding: Mapping[str, Any]) -> str:
    where = f" ({escaped(place(finding))})" if place(finding) else ""
    return f"- {sign} {code(finding['id'])} **{escaped(finding['path'])}**{where}: {escaped(finding['reason'])}"


def _diff_items(diffs: Sequence[TextDiff], pointer: str) -> Iterator[str]:
    """Yield a folded block for each file. If many files are new or removed, only their names are listed."""
    has_few = sum(diff.one_sided for diff in diffs) <= _ONE_SIDED
    whole = [diff for diff in diffs if diff.lines and (has_few or not diff.one_sided)]
    for diff in whole:
        title = f"{html_code(diff.name)} {diff.note}"
        yield f"<details><summary>{title}</summary>\n\n{_hunks(diff, pointer)}\n</details>\n"
    listed = [diff for diff in diffs if diff not in whole]
    if whole and listed:
        yield "\n"
    yield from (f"- {code(diff.name)}: {diff.note}\n" for diff in listed)


def _hunks(diff: TextDiff, pointer: str) -> str:
    room, shown = _DIFF_BYTES, []
    for line in diff.lines:
        room -= len(line.encode(errors="replace")) + 1
        if room < 0:
            break
        shown.append(line)
    rest = len(diff.lines) - len(shown)
    cut = f"\n_{count(rest, 'more line')} did not fit here; {pointer} shows all._\n" if rest else ""
    return fenced("\n".join(shown), "diff") + cut
