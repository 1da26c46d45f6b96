"""Words that several causes share."""

from collections.abc import Sequence

from hpc_components.wording import plural


def jobs_that(ids: Sequence[object], one: str, many: str) -> str:
    """Return a number of jobs with its verb, e.g. `1 job waits` or `3 jobs wait`."""
    return f"{plural(len(ids), 'job')} {one if len(ids) == 1 else many}"
