"""Reviews of what the real CLI wrote of the sample program (`tests/engine/test_recorded.py` records it)."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from hpc_components.preview.resources import SECRET, UNKNOWN
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import Operation, Part, Review, Side
from hpc_components.review.engine.files import read_run
from hpc_components.review.engine.make import review_of_run
from hpc_components.review.headline import verdict
from hpc_components.review.render.html import render_html_review
from hpc_components.review.render.markdown import render_markdown_review
from hpc_components.review.render.text import reviews_text

DOCUMENTS = Path(__file__).parent / "documents"

SUBNET = "urn:pulumi:dev::sample::aws:ec2/subnet:Subnet::subnet"

CHANGES = {
    ("Subnet", "subnet"): Operation.REPLACE,
    ("Instance", "instance"): Operation.REPLACE,
    ("LustreFileSystem", "scratch"): Operation.REPLACE,
    ("Role", "reaper"): Operation.CREATE,
    ("RolePolicyAttachment", "reaper"): Operation.CREATE,
    ("Function", "reaper"): Operation.CREATE,
    ("Invocation", "reaper"): Operation.CREATE,
}


@cache
def review_of(name: str) -> Review:
    return review_of_run(read_run(DOCUMENTS / name), Side(source=name, option="--pulumi"))


def told(found: Review) -> dict[tuple[str, str], Operation]:
    return {(each.type.rpartition(":")[2], each.name): each.operation for each in found.changes}


@pytest.mark.parametrize("name", ["changes.json", "only_changes.json", "events.jsonl"])
def test_each_document_tells_the_same_changes(name: str) -> None:
    found = review_of(name)
    assert told(found) == CHANGES
    assert (found.stack, found.project, found.cloud, found.failure) == ("dev", "sample", "aws", "")
    assert found.worst is Effect.DATA_LOST
    effects = {change.urn: (change.effect, change.words) for change in found.changes}
    assert effects == {change.urn: (change.effect, change.words) for change in review_of("changes.json").changes}


def test_the_reason_is_told_with_both_values() -> None:
    by_name = {change.name: change for change in review_of("changes.json").changes if change.name != "reaper"}
    (cidr,) = by_name["subnet"].properties
    assert (cidr.path, cidr.before, cidr.after, cidr.replaces) == ("cidrBlock", "10.0.1.0/24", "10.0.2.0/24", True)
    subnet, user_data = by_name["instance"].properties
    assert (subnet.path, subnet.after, subnet.replaces) == ("subnetId", UNKNOWN, True)
    assert subnet.before.startswith("subnet-")
    assert (user_data.path, user_data.before, user_data.after, user_data.replaces) == (
        "userData", SECRET, SECRET, False,
    )  # fmt: skip
    assert {name: change.because for name, change in by_name.items()} == {
        "subnet": "", "instance": SUBNET, "scratch": SUBNET,
    }  # fmt: skip


def test_what_a_document_can_not_say_is_a_gap_and_no_zero() -> None:
    gaps = {name: {gap.part for gap in review_of(name).gaps} for name in
            ("changes.json", "only_changes.json", "events.jsonl")}  # fmt: skip
    always = {Part.DESCRIPTION, Part.FINDINGS}
    assert gaps == {
        "changes.json": always | {Part.POLICIES},
        "only_changes.json": always | {Part.POLICIES, Part.COST, Part.QUOTAS},
        "events.jsonl": always | {Part.COST, Part.QUOTAS},
    }
    assert review_of("changes.json").cost is not None
    assert review_of("only_changes.json").cost is None
    for text in (
        render_markdown_review(review_of("only_changes.json")),
        reviews_text([review_of("only_changes.json")]).replace("\n", " "),
        render_html_review([review_of("only_changes.json")]),
    ):
        assert "cost" in text[text.index("Not known") :]
        assert "--show-sames" in text
    whole = replace(review_of("changes.json"), gaps=())
    assert "Not known" not in render_markdown_review(whole)


def test_a_new_stack_is_reviewed_as_one() -> None:
    found = review_of("new.json")
    assert {change.operation for change in found.changes} == {Operation.CREATE}
    assert verdict(found).startswith("a new stack")
    assert found.cost
    assert found.cost.full_before is None


def test_a_preview_that_fails_is_a_failing_comment() -> None:
    found = review_of("failed.json")
    assert found.changes == ()
    assert "Configuration 'sample:capacity' value 'large' is not a valid 'int'" in found.failure
    comment = render_markdown_review(found)
    assert comment.startswith("<!-- hpc-review: sample/dev -->\n## dev\n\n`deployed` → `failed.json`\n\n🛑 ")
    assert "is not a valid 'int'" in comment


def test_the_whole_page_is_made_by_a_command_with_the_same_file() -> None:
    from hpc_components.review.side_labels import command

    shown = command(review_of("changes.json"))
    assert shown == "hpc diff --format html --out review.html --pulumi changes.json"
