from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from rich.console import Group, RenderableType
from rich.text import Text

from hpc_components.report.text import (
    TextTable,
    advice,
    finding_lines,
    heading,
    indented,
    joined,
    literal,
    plain_text,
    print_report,
)
from hpc_components.report.wording import count
from hpc_components.review.cautions import points
from hpc_components.review.change_effects import Effect
from hpc_components.review.changes_by_component import groups, outline_of, reasons
from hpc_components.review.cost_and_quota_tables import (
    cost_differs,
    cost_note,
    key_figures,
    other_quotas,
    queues_table,
    quotas_table,
    totals_table,
)
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
from hpc_components.wording import listed

_STYLES = {Urgency.ALARM: "bold red", Urgency.LOOK: "yellow", Urgency.FINE: "green"}
_TITLES = {**SECTIONS, Urgency.FINE: "No action needed"}
_NAMES, _INPUTS = 4, 4
"""Maximum number of names shown for a group of similar resources, and of inputs shown for a resource."""


def print_reviews(reviews: Iterable[Review], file: IO[str] | None = None) -> None:
    """Print the reviews to `file` (default: standard output). Colour is used only on a terminal, and only if NO_COLOR
    is unset.
    """
    print_report(_whole(reviews), file)


def reviews_text(reviews: Iterable[Review], width: int = 80) -> str:
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
        yield indented(*review.failure.split("\n"))
        return
    if summary := key_figures(review):
        yield literal(summary)
    yield from (literal(note, "yellow") for note in review.notes)
    for level, title in _TITLES.items():
        known = points(review, level)
        found = groups(review.changes, level)
        if known or found:
            yield heading(title)
            yield from (joined((listed(paths, _NAMES), "bold"), f": {words}") for words, paths in known)
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
    first = some[0]
    kind = named(first.urn)[0] if len({change.type for change in some}) == 1 else f"{len(some)} resources"
    meant = done(first) if first.effect is Effect.LIVE and level is not Urgency.FINE else means(first)
    names = listed((change.name for change in some), _NAMES)
    yield joined((meant, _STYLES[level]), ": ", (kind, "cyan"), f" {names} {done(first)}")
    inputs = [] if level is Urgency.FINE else [each for each in reasons(first) if each.before != each.after]
    lines = [effect_sentence(first)] if first.words or level is not Urgency.FINE else []
    lines += [f"{each.path}: {' → '.join(changed_by(each.before, each.after))}" for each in inputs[:_INPUTS]]
    lines += [f"{count(len(inputs) - _INPUTS, 'more input')}"] if len(inputs) > _INPUTS else []
    lines += [f"because of {' '.join(named(first.because))}"] if first.because else []
    lines += ["protected: Pulumi stops here until the protection is removed"] if stops(first) else []
    lines += [f"→ {first.remedy}"] if first.remedy else []
    if lines:
        yield indented(*lines)


def _described(change: DescriptionChange) -> Text:
    before, after = changed_by(change.before, change.after, as_yaml=True)
    line = f"  line {change.line}" if change.line else ""
    return joined((change.path, "bold"), f": {before} → {after}", (line, "dim"))


def _figures(review: Review) -> Iterator[RenderableType]:
    if review.cost and cost_differs(review.cost):
        yield heading("Cost")
        tables = totals_table(review.cost), queues_table(review.cost)
        yield from (TextTable(table) for table in tables if table.rows)
        yield literal(cost_note(review.cost), "dim")
    if (table := quotas_table(review.quotas)).rows:
        yield heading(table.label)
        yield TextTable(table)
    if others := other_quotas(review.quotas):
        yield literal(others, "dim")


def _findings(review: Review) -> Iterator[RenderableType]:
    found = review.findings
    if found.new or found.now or found.changed or found.silenced or found.fixed:
        yield heading("Findings")
    for finding in found.new:
        yield from finding_lines(finding, _advice(finding), "new")
    for finding in found.now:
        yield from finding_lines(finding, _advice(finding))
    for change in found.changed:
        words = " → ".join(finding_changed_by(change) or ()), places_changed(change)
        yield from finding_lines(change.after, [*filter(None, words), *_advice(change.after)], "changed")
    for finding in found.silenced:
        yield from finding_lines(finding, str(finding["silenced"]).split("\n"), "silenced")
    for finding in found.fixed:
        yield from finding_lines(finding, word="fixed")


def _advice(finding: Mapping[str, Any]) -> list[str]:
    """Return the advice as a list of lines. A policy's message may consist of several lines."""
    return [line for text in advice(finding) for line in text.split("\n")]
