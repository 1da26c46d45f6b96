"""A change that touches every queue of a large cluster. A description has fifty queues at most (HPC-NAM-005)."""

from dataclasses import replace

import pytest
from planned_changes import planned, stack_text

from hpc_components.review.document import Operation, Review, Side
from hpc_components.review.make import review
from hpc_components.review.render.markdown import render_markdown_review

QUEUES = 50
COMPUTE = "{name: compute-queue, machine: hpc6a.48xlarge, max: 16, smt: false, placement: cluster}"
SPOT = (
    "\n      - {name: spot, machine: c7i.48xlarge, max: 8, "
    "purchase: spot, placement: none, fabric: false, smt: false}"
)
HEAD = ("machine: c6i.xlarge", "machine: r6i.2xlarge")

MOST = 65_536
"""Characters of a comment on GitHub."""


def described(machine: str, most: int) -> str:
    queues = [f"{{name: q{number}, machine: {machine}, max: {most}}}" for number in range(QUEUES)]
    return stack_text("aws-cfd", HEAD, (SPOT, ""), (COMPUTE, "\n      - ".join(queues)))


@pytest.fixture(scope="module")
def found() -> Review:
    before = planned("aws-cfd", described("c7i.8xlarge", 4))
    after = planned("aws-cfd", described("c6i.8xlarge", 6))
    return review(before, after, sides=(Side(source="main"), Side(source="topic")))


def times(found: Review, number: int) -> Review:
    """As many clusters of other queues in one review."""
    copies = range(number)
    return replace(
        found,
        changes=tuple(
            replace(each, urn=f"{each.urn}-{copy}", name=f"{each.name}-{copy}", parent=f"{each.parent}-{copy}")
            for copy in copies
            for each in found.changes
        ),
        description=tuple(
            replace(each, path=each.path.replace("queues[", f"queues[{copy}"))
            for copy in copies
            for each in found.description
        ),
        files=tuple(replace(each, name=f"{copy}/{each.name}") for copy in copies for each in found.files),
    )


def test_every_queue_is_told(found: Review) -> None:
    comment = render_markdown_review(found)
    assert len(found.description) == 2 * QUEUES
    assert found.count(Operation.CREATE) == found.count(Operation.DELETE) == QUEUES
    assert all(f"- `queues[{number}].machine`: " in comment for number in range(QUEUES))
    assert len(comment) <= MOST


def test_a_comment_on_two_hundred_queues_fits(found: Review) -> None:
    comment = render_markdown_review(times(found, 4))
    assert len(comment) <= MOST
    first, *_ = comment.split("### Changed in the description")
    assert "200 resources to delete, 200 to create" in first
    assert "did not fit here" in comment
