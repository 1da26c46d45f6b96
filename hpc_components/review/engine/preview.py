from pathlib import Path

from hpc_components.review.document import Review, Side
from hpc_components.review.engine.files import read_run
from hpc_components.review.engine.make import review_of_run
from hpc_components.review.make import failed_review
from hpc_components.review.repository import SourceError
from hpc_components.review.side_labels import DEPLOYED
from hpc_components.spec.project import find_project


def preview_review(file: Path, stack: str | None) -> Review:
    """Return the review of the run in `file`.

    If the file contains no run, return a failed review for `stack`, so that an earlier pull request comment is
    replaced. Raise SourceError if the file belongs to a different stack, or if it contains no run and `stack` is
    None.
    """
    side = Side(source=str(file), option="--pulumi")
    try:
        run = read_run(file)
    except SourceError as error:
        if stack is None:
            raise
        return failed_review(stack, find_project().name, str(error), sides=(Side(source=DEPLOYED), side))
    found = review_of_run(run, side)
    if stack not in (None, found.stack):
        raise SourceError(f"{file} belongs to the stack {found.stack}, not {stack}; leave out {stack}")
    return found
