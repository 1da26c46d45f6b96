"""Reviews as text on a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hpc_components.console import heading, joined, literal, plain_text, print_report
from hpc_components.preview.render.wording import count, place
from hpc_components.review import cost_and_quota_rows
from hpc_components.review.cautions import cautions
from hpc_components.review.change_effects import Effect
from hpc_components.review.changes_by_component import groups, outline_of, reasons
from hpc_components.review.document import Change, DescriptionChange, Review
from hpc_components.review.headline import verdict
from hpc_components.review.side_labels import side_words
from hpc_components.review.wording import (
    SECTIONS,
    Urgency,
    changed_by,
    done,
    effect_sentence,
    finding_changed_by,
    gap_words,
    means,
    named,
    places_changed,
    stops,
    urgency,
)
from hpc_components.spec.printable import printable

_STYLES = {Urgency.ALARM: "bold red", Urgency.LOOK: "yellow", Urgency.FINE: "green"}
_TITLES = {**SECTIONS, Urgency.FINE: "No action needed"}
_UNLIMITED = 10_000
"""Columns for measuring the natural width of a table."""
_NAMES, _INPUTS = 4, 4
"""Maximum numbers of similar resources' names, and of a resource's inputs, that are shown."""


def print_reviews(reviews: Iterable[Review], file: IO[str] | None = None) -> None:
    """Print the reviews to `file` (default: standard output), in colour only on a terminal without NO_COLOR."""
    print_report(_whole(reviews), file)


def reviews_text(reviews: Iterable[Review], width: int = 80) -> str:
    """Return the reviews as plain text of this width, without colour."""
    return plain_text(_whole(reviews), width)


def _whole(reviews: Iterable[Review]) -> Group:
    parts: list[RenderableType] = []
    for review in reviews:
        parts += [literal(""), *_review(review)] if parts else [*_review(review)]
    return Group(*(parts or [literal("No stack changes.")]))


def _review(review: Review) -> Iterator[RenderableType]:
    before, after = (" ".join(filter(None, side_words(side))) for side in (review.before, review.after))
    yield joined((review.stack, "bold"), f"  {before} → {after}")
    yield literal(verdict(review), _STYLES[urgency(review)])
    if review.failure:
        yield Padding(literal(review.failure), (0, 0, 0, 2))
        return
    if summary := cost_and_quota_rows.key_figures(review):
        yield literal(summary)
    yield from (literal(note, "yellow") for note in review.notes)
    for level, title in _TITLES.items():
        known = cautions(review.description, level)
        found = groups(review.changes, level)
        if known or found:
            yield heading(title)
            for words, paths in known:
                more = f" and {len(paths) - _NAMES} more" if len(paths) > _NAMES else ""
                yield joined((", ".join(paths[:_NAMES]), "bold"), f"{more}: {words}")
            for some in found:
                yield from _group(some, level)
    if noise := outline_of(review.changes).noise:
        yield literal(f"{count(noise, 'change')} of provider versions and derived inputs not shown.", "dim")
    if review.description:
        yield heading("In the description")
        yield from map(_described, review.description)
    yield from _figures(review)
    yield from _findings(review)
    if review.files:
        yield heading("Generated files that differ")
        yield literal(", ".join(file.name for file in review.files))
    yield from (literal(words, "dim") for words in gap_words(review.gaps))


def _group(some: Sequence[Change], level: Urgency) -> Iterator[RenderableType]:
    """Yield the lines for similar changes: what, why, who is affected, and what to do beforehand."""
    first = some[0]
    kind = named(first.urn)[0] if len({change.type for change in some}) == 1 else f"{len(some)} resources"
    meant = done(first) if first.effect is Effect.LIVE and level is not Urgency.FINE else means(first)
    names = ", ".join(change.name for change in some[:_NAMES])
    more = f" and {len(some) - _NAMES} more" if len(some) > _NAMES else ""
    yield joined((meant, _STYLES[level]), ": ", (kind, "cyan"), f" {names}{more} {done(first)}")
    inputs = [] if level is Urgency.FINE else [each for each in reasons(first) if each.before != each.after]
    lines = [effect_sentence(first)] if first.words or level is not Urgency.FINE else []
    lines += [f"{each.path}: {' → '.join(changed_by(each.before, each.after))}" for each in inputs[:_INPUTS]]
    lines += [f"{count(len(inputs) - _INPUTS, 'more input')}"] if len(inputs) > _INPUTS else []
    lines += [f"because of {' '.join(named(first.because))}"] if first.because else []
    lines += ["protected: Pulumi stops there until the protection is off"] if stops(first) else []
    lines += [f"→ {first.remedy}"] if first.remedy else []
    if lines:
        yield Padding(literal("\n".join(map(printable, lines))), (0, 0, 0, 2))


def _described(change: DescriptionChange) -> Text:
    before, after = changed_by(change.before, change.after, as_yaml=True)
    line = f"  line {change.line}" if change.line else ""
    return joined((change.path, "bold"), f": {before} → {after}", (line, "dim"))


def _figures(review: Review) -> Iterator[RenderableType]:
    if review.cost and cost_and_quota_rows.cost_differs(review.cost):
        yield heading("Cost")
        if rows := cost_and_quota_rows.total_rows(review.cost):
            yield _Rows(cost_and_quota_rows.TOTAL_COLUMNS, rows)
        if rows := cost_and_quota_rows.queue_rows(review.cost):
            yield _Rows(cost_and_quota_rows.QUEUE_COLUMNS, rows)
        yield literal(cost_and_quota_rows.cost_note(review.cost), "dim")
    if rows := cost_and_quota_rows.quota_rows(review.quotas):
        yield heading("Quotas to raise")
        yield _Rows(cost_and_quota_rows.QUOTA_COLUMNS, rows)
    if others := cost_and_quota_rows.other_quotas(review.quotas):
        yield literal(others, "dim")


def _findings(review: Review) -> Iterator[RenderableType]:
    found = review.findings
    if found.new or found.now or found.changed or found.silenced or found.fixed:
        yield heading("Findings")
    for finding in found.new:
        yield from _finding("new", finding, _advice(finding))
    for finding in found.now:
        yield from _finding("", finding, _advice(finding))
    for change in found.changed:
        words = " → ".join(finding_changed_by(change) or ()), places_changed(change)
        yield from _finding("changed", change.after, "\n".join(filter(None, (*words, _advice(change.after)))))
    for finding in found.silenced:
        yield from _finding("silenced", finding, str(finding["silenced"]))
    for finding in found.fixed:
        yield from _finding("fixed", finding)


def _advice(finding: Mapping[str, Any]) -> str:
    return f"{finding['reason']}\n→ {finding['remedy']}" if finding["remedy"] else finding["reason"]


def _finding(word: str, finding: Mapping[str, Any], more: str = "") -> Iterator[RenderableType]:
    head = " ".join(filter(None, (word, finding["level"], finding["id"])))
    yield joined(f"{head} ", (finding["path"], "bold"), f"  {place(finding)}")
    if more:
        yield Padding(literal("\n".join(map(printable, more.split("\n")))), (0, 0, 0, 2))


@dataclass(frozen=True)
class _Rows:
    """Rows with column titles: a table if it fits, else a paragraph for each row."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        natural = Measurement.get(console, options.update(max_width=_UNLIMITED), self._table(expand=False)).maximum
        yield self._table(expand=True) if natural <= options.max_width else Group(*self._paragraphs())

    def _table(self, *, expand: bool) -> Table:
        """Return a table whose first column takes the free width."""
        table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), expand=expand, header_style="dim")
        table.add_column(self.columns[0], ratio=1, overflow="fold")
        for column in self.columns[1:]:
            table.add_column(column, justify="right")
        for row in self.rows:
            table.add_row(*map(literal, row))
        return table

    def _paragraphs(self) -> Iterator[RenderableType]:
        for first, *others in self.rows:
            text = ", ".join(f"{name}: {cell}" for name, cell in zip(self.columns[1:], others, strict=True) if cell)
            yield literal(first, "bold")
            yield Padding(literal(text), (0, 0, 0, 2))
