"""What a review of a run says beside the changes."""

from typing import Any

import pytest

from hpc_components.review.document import Part, Review, Side
from hpc_components.review.engine.digest import run_of_digest
from hpc_components.review.engine.make import review_of_run
from hpc_components.review.render.markdown import render_markdown_review
from hpc_components.review.verdict import conditions
from tests.review.engine.made import DISK, digest, state, step


def reviewed(*steps: Any, **more: Any) -> Review:
    return review_of_run(run_of_digest(digest(*steps, **more)), Side(source="preview.json", option="--pulumi"))


def asset(text: str) -> dict[str, str]:
    return {"4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", "hash": "1", "text": text}


def test_files_without_their_texts_are_a_gap() -> None:
    known, elided = (state(inputs={"source": asset(text)}) for text in ("echo", "<contents elided>"))
    assert Part.FILES in {gap.part for gap in reviewed(step("update", elided, elided)).gaps}
    assert Part.FILES not in {gap.part for gap in reviewed(step("update", known, known)).gaps}
    # what an interrupted replacement left is not the resource
    steps = step("same", known, known), step("delete-replaced", elided)
    for order in (steps, steps[::-1]):
        assert Part.FILES not in {gap.part for gap in reviewed(*order).gaps}


@pytest.mark.parametrize(("key", "is_known"), [("head/people.json", False), ("common/slurm/slurm.conf", True)])
def test_a_review_without_the_text_about_people_has_a_gap(key: str, is_known: bool) -> None:
    file = state("aws:s3/bucketObjectv2:BucketObjectv2", inputs={"key": key, "source": asset("<contents elided>")})
    found = reviewed(step("same", file, file))
    assert (Part.PEOPLE not in {gap.part for gap in found.gaps}) is is_known
    (condition,) = conditions("access")
    assert (condition.gap(found) is None) is is_known


@pytest.mark.parametrize(
    ("config", "cluster", "region"),
    [
        ({"hpc:cluster": '{"name": "cfd", "region": "r1"}'}, "cfd", "r1"),
        ({"hpc:cluster": "[secret]"}, "s", ""),
        ({"hpc:cluster": "[]"}, "s", ""),
        ({"t:region": "r2"}, "s", "r2"),
        ({}, "s", ""),
    ],
)
def test_the_review_names_stack_cluster_and_region(config: dict[str, str], cluster: str, region: str) -> None:
    found = reviewed(step("create", new=state()), config=config)
    assert (found.project, found.stack, found.cluster, found.cloud, found.region) == ("p", "s", cluster, "t", region)
    where = f"Cluster {cluster} on t{f', {region}' if region else ''}: `deployed`"
    assert where in render_markdown_review(found)


def test_the_region_is_that_of_the_stack_s_own_provider_before_its_configuration() -> None:
    provider = state("pulumi:providers:t", "t", inputs={"region": "r3"})
    found = reviewed(step("same", provider, provider), step("create", new=state(DISK)), config={"t:region": "r2"})
    assert found.region == "r3"
