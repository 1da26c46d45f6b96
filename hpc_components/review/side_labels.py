import shlex
from datetime import UTC, datetime

from hpc_components.preview.clouds import title_of
from hpc_components.review.document import Review, Side

_COMMIT_DIGITS = 7

_NAME_CHARACTERS = 80


def place_words(review: Review) -> str:
    if not review.cluster:
        return ""
    return ", ".join(filter(None, (f"Cluster {review.cluster} on {title_of(review.cloud)}", review.region)))


def side_words(side: Side) -> tuple[str, str]:
    """Return (source, short commit id). If the source is itself a commit id, the second text is empty."""
    short = side.commit[:_COMMIT_DIGITS]
    if short and side.commit.startswith(side.source):
        return short, ""
    return _cut(side.source), short


def time_words(time: datetime) -> str:
    """Return a time in the form `2026-11-22 22:15 UTC`. A time without a zone is assumed to be in UTC."""
    moment = time.astimezone(UTC) if time.tzinfo else time
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def command(review: Review) -> str:
    """Return the command that creates the full page. The command contains commit ids, because branches may move."""
    words: list[str] = []
    for side in (review.before, review.after):
        if side.source not in (WORKING_TREE, DEPLOYED):
            words += [*filter(None, [side.option]), _cut(side.commit[:12] or side.source)]
    stack = [] if review.before.source == DEPLOYED else ["--", _cut(review.stack)]
    return shlex.join(["hpc", "diff", "--format", "html", "--out", "review.html", *words, *stack])


WORKING_TREE = "working tree"

DEPLOYED = "deployed"
"""Source name for the state last known to Pulumi."""


def _cut(text: str) -> str:
    return text if len(text) <= _NAME_CHARACTERS else f"{text[:_NAME_CHARACTERS]}…"
