"""Renders reviews as one self-contained HTML page, which loads nothing from the network and runs no script."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from hpc_components.report.page import render_page
from hpc_components.report.parts import Page, Section, Table
from hpc_components.report.wording import count, place
from hpc_components.review import changes_by_component, cost_and_quota_tables, wording
from hpc_components.review.cautions import cautions
from hpc_components.review.changes_by_component import groups, outline_of
from hpc_components.review.document import CostChange, Review
from hpc_components.review.headline import verdict
from hpc_components.review.render.diffs import diffs_of, text_note
from hpc_components.review.side_labels import place_words, side_words, time_words
from hpc_components.review.wording import SECTIONS, capital

_VALUE_CHARACTERS = 2_000
"""Maximum length of a value in characters. Multi-line texts are shown among the files instead."""


def render_html_review(reviews: Iterable[Review], *, time: datetime | None = None) -> str:
    """Return the page, which includes everything that pull-request comments leave out.

    `time` is the time at which the reviews were made.
    """
    shown = [_shown(review) for review in reviews]
    stacks = [each["review"].stack for each in shown]
    title = f"Review of {stacks[0] if len(stacks) == 1 else count(len(stacks), 'stack')}"
    from_pulumi = any(side.option for each in shown for side in (each["review"].before, each["review"].after))
    made = "from Pulumi's own output" if from_pulumi else "from the programs of both sides, without access to a cloud"
    page = Page(
        title=title,
        heading=title,
        where=time_words(time) if time else "",
        skip_to="first stack",
        sections=tuple(
            Section(f"stack-{number}", each["review"].stack, each["verdict"]) for number, each in enumerate(shown, 1)
        ),
        sections_are="Stacks",
        footer=f"Prices are list prices, not a quotation. Made by hpc {made}.",
    )
    return render_page("hpc_components.review.render", "review.html.j2", page, ("review",), shown=shown, **_WORDS)


def _shown(review: Review) -> Mapping[str, Any]:
    """Return the template's variables for one review, including the review itself."""
    found = review.findings
    return {
        "review": review,
        "place": place_words(review),
        "sides": [side_words(review.before), side_words(review.after)],
        "verdict": capital(verdict(review)),
        "urgency": wording.urgency(review),
        "figures": cost_and_quota_tables.key_figures(review),
        "sections": [
            (title, urgency, cautions(review.description, urgency), groups(review.changes, urgency))
            for urgency, title in SECTIONS.items()
        ],
        "cost": _cost(review.cost) if review.cost else [],
        "cost_note": cost_and_quota_tables.cost_note(review.cost) if review.cost else "",
        "quotas": cost_and_quota_tables.quotas_table(review.quotas),
        "other_quotas": cost_and_quota_tables.other_quotas(review.quotas),
        "findings": [
            ("New findings", False, [(each, None) for each in found.new]),
            ("Findings", False, [(each, None) for each in found.now]),
            ("Findings that changed", False, [(each.after, each) for each in found.changed]),
            ("Silenced findings", False, [(each, None) for each in found.silenced]),
            ("Fixed findings", True, [(each, None) for each in found.fixed]),
        ],
        "gaps": wording.gap_words(review.gaps),
        "outline": outline_of(review.changes),
        "diffs": diffs_of(review.files),
    }


def _cost(cost: CostChange) -> list[Table]:
    tables = cost_and_quota_tables.totals_table(cost), cost_and_quota_tables.queues_table(cost)
    return [table for table in tables if table.rows]


_WORDS: dict[str, Any] = {
    "changed_by": partial(wording.changed_by, longest=_VALUE_CHARACTERS),
    "count": count,
    "finding_changed_by": partial(wording.finding_changed_by, longest=_VALUE_CHARACTERS),
    "grouping": changes_by_component,
    "place": place,
    "text_note": text_note,
    "wording": wording,
}
"""Functions and modules that the template uses."""
