from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from hpc_components.report.markdown import escaped
from hpc_components.review.cost_and_quota_tables import cost_differs
from hpc_components.review.document import Review
from hpc_components.review.pull_request import NotAllowedError, PullRequest
from hpc_components.review.render.markdown import marked_stack, marker, render_markdown_review
from hpc_components.review.side_labels import time_words
from hpc_components.wording import plural

_SUMMARY_BYTES = 1_000_000
"""Maximum size of a step summary in bytes. GitHub does not show summaries larger than 1 MiB.

Source: GitHub Actions, "Workflow commands", step isolation and limits.
"""


def put_comments(
    reviews: Sequence[Review], environment: Mapping[str, str], project: str, *, only_named: bool = False
) -> str:
    """Write a comment for each review, replacing the stack's earlier comment. Return a description of what was done.

    Set `only_named` if the user named the stacks to review. If it is not set:

    - A review without content does not create a new comment. Otherwise, an unrelated change would add a comment for
      every stack.
    - If a stack of `project` has an earlier comment but no review, the comment is replaced with one saying that
      nothing changes.

    All texts are also written to the job summary (GITHUB_STEP_SUMMARY). If the token does not have permission to
    write comments, the result says so. Raise CommentError if comments can't be written for any other reason.
    """
    now = datetime.now(UTC)
    texts = {_marker(each): render_markdown_review(each, time=now) for each in reviews}
    if summary := environment.get("GITHUB_STEP_SUMMARY"):
        _summarise(Path(summary), texts.values())
    pull_request = PullRequest.of_workflow(environment)
    try:
        earlier = pull_request.markers()
        if not only_named:
            silent = {_marker(each) for each in reviews if _says_nothing(each)}
            texts = {line: text for line, text in texts.items() if line not in silent or line in earlier}
            gone = {line: marked_stack(project, line) for line in earlier if line not in texts}
            texts |= {line: _unchanged(line, stack, now) for line, stack in gone.items() if stack}
        pull_request.put(texts, earlier)
    except NotAllowedError as error:
        return f"no comment was written: {error}"
    return f"wrote {plural(len(texts), 'comment')} on pull request {pull_request.number} of {pull_request.repository}"


def _marker(review: Review) -> str:
    return marker(review.project, review.stack)


def _says_nothing(review: Review) -> bool:
    found = review.findings
    said = (
        review.failure, review.changes, review.description, review.files, review.quotas, review.gaps, review.notes,
        found.new, found.changed, found.silenced, found.fixed, found.now, review.people,
    )  # fmt: skip
    return not any(said) and not cost_differs(review.cost)


def _summarise(summary: Path, texts: Iterable[str]) -> None:
    room = _SUMMARY_BYTES - (summary.stat().st_size if summary.exists() else 0)
    left_out = 0
    with summary.open("a", encoding="utf-8") as file:
        for text in texts:
            size = len(text.encode()) + 1
            if size <= room:
                file.write(f"{text}\n")
                room -= size
            else:
                left_out += 1
        if left_out:
            file.write(f"_{plural(left_out, 'more review')} did not fit here._\n")


def _unchanged(line: str, stack: str, now: datetime) -> str:
    return f"{line}\n## {escaped(stack)}\n\nNothing changes any more, {time_words(now)}.\n"
