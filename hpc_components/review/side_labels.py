"""How a report names a cluster and the two sides of a review, and the command that shows all of it."""

import shlex
from datetime import UTC, datetime

from hpc_components.preview.clouds import title_of
from hpc_components.review.document import Review, Side

__all__ = ["DEPLOYED", "WORKING_TREE", "command", "place_words", "side_words", "time_words"]

_COMMIT = 7
"""Digits of a commit's id that people are shown."""

_LONGEST = 80
"""Characters of a name that are shown."""


def place_words(review: Review) -> str:
    """`Cluster cfd on a cloud, its region`, as far as that is known."""
    if not review.cluster:
        return ""
    return ", ".join(filter(None, (f"Cluster {review.cluster} on {title_of(review.cloud)}", review.region)))


def side_words(side: Side) -> tuple[str, str]:
    """The source and its short commit, for people; no commit where the source is one."""
    short = side.commit[:_COMMIT]
    if short and side.commit.startswith(side.source):
        return short, ""
    return _cut(side.source), short


def time_words(time: datetime) -> str:
    """`2026-11-22 22:15 UTC`; a time without a zone is UTC."""
    moment = time.astimezone(UTC) if time.tzinfo else time
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def command(review: Review) -> str:
    """The command that makes the whole page. Commits stand for names, which move."""
    words: list[str] = []
    for side in (review.before, review.after):
        if side.source not in (WORKING_TREE, DEPLOYED):
            words += [*filter(None, [side.option]), _cut(side.commit[:12] or side.source)]
    stack = [] if review.before.source == DEPLOYED else ["--", _cut(review.stack)]
    return shlex.join(["hpc", "diff", "--format", "html", "--out", "review.html", *words, *stack])


WORKING_TREE = "working tree"
"""The source of a side that is no commit."""

DEPLOYED = "deployed"
"""The source of a side that is what Pulumi last knew of the cloud."""


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
