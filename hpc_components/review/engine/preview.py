"""The review of a preview or an update that Pulumi's CLI has written."""

from pathlib import Path

from hpc_components.review.document import Review, Side
from hpc_components.review.engine.files import read_run
from hpc_components.review.engine.make import review_of_run

__all__ = ["preview_review"]


def preview_review(file: Path) -> Review:
    """What becomes of the stack that the run in `file` is of; SourceError if that holds none."""
    return review_of_run(read_run(file), Side(source=str(file), option="--pulumi"))
