"""Reviews as the comments of a pull request, and in the summary of the job."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from hpc_components.preview.render.markup import escaped
from hpc_components.review.document import Review
from hpc_components.review.pull_request import NotAllowedError, PullRequest
from hpc_components.review.render.markdown import marked_stack, marker, render_markdown_review
from hpc_components.review.sides import time_words
from hpc_components.wording import plural

__all__ = ["put_comments"]


def put_comments(
    reviews: Sequence[Review], environment: Mapping[str, str], project: str, *, only_named: bool = False
) -> str:
    """Write a comment for each review, in place of the earlier one on its stack; returns what was done, in words.

    A stack of `project` that has a comment and no review any more gets one that says that nothing changes, unless the
    reviews are `only_named` ones. The texts are also put into the summary of the job (GITHUB_STEP_SUMMARY). Where the
    token may not write, that is told. CommentError if comments can't be written for another reason.
    """
    now = datetime.now(UTC)
    texts = {marker(each.project, each.stack): render_markdown_review(each, time=now) for each in reviews}
    if summary := environment.get("GITHUB_STEP_SUMMARY"):
        with open(summary, "a", encoding="utf-8") as file:
            file.write("\n".join(texts.values()))
    pull_request = PullRequest.of_workflow(environment)
    try:
        earlier = pull_request.markers()
        if not only_named:
            gone = {line: marked_stack(project, line) for line in earlier if line not in texts}
            texts |= {line: _unchanged(line, stack, now) for line, stack in gone.items() if stack}
        pull_request.put(texts, earlier)
    except NotAllowedError as error:
        return f"no comment was written: {error}"
    return f"wrote {plural(len(texts), 'comment')} on pull request {pull_request.number} of {pull_request.repository}"


def _unchanged(line: str, stack: str, now: datetime) -> str:
    return f"{line}\n## {escaped(stack)}\n\nNothing changes any more, {time_words(now)}.\n"
