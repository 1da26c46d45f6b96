"""What images that the stack makes cost: their storage, as an estimate."""

from collections.abc import Iterator
from typing import Any

import pytest
from clouds.test_cluster import CLUSTERS, DESCRIPTIONS, EVERY_CLOUD

from hpc_components.catalog.image_builds import image_build
from hpc_components.preview.cost import cost_of
from hpc_components.preview.plan import resources_of
from hpc_components.preview.record import record


def cost_with(cloud: str, images: dict[str, Any]) -> dict[str, Any]:
    described = DESCRIPTIONS[cloud]
    queues = [{**described["queues"][0], "image": next(iter(images), None)}]
    recording = record(lambda: CLUSTERS[cloud]("cfd", {**described, "images": images, "queues": queues}))
    return cost_of(resources_of(recording), cloud, described["region"])


def image_lines(cost: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (line for line in cost["lines"] if line["what"].startswith("image "))


@pytest.mark.parametrize(("cloud", "versions"), [("aws", 2), ("azure", 2), ("gcp", 2), ("gcp", 1)])
def test_storage_of_images_is_counted_as_often_as_versions_are_kept(cloud: str, versions: int) -> None:
    # 5 GiB x 2 versions x USD 0.05 a GiB and month = USD 0.50 a month
    cost = cost_with(cloud, {"cpu": {"keep": versions}})
    (line,) = image_lines(cost)
    assert line["quantity"] == line["quantity_idle"] == versions * image_build().gib
    assert line["full_month"] == line["idle_month"] == pytest.approx(0.25 * versions, abs=0.01)
    assert line["unsure"]
    assert any("an estimate: 5 GiB a version" in note for note in line["notes"])
    assert cost["unknown"] == []


@EVERY_CLOUD
def test_machines_that_make_images_are_named_but_not_counted(cloud: str) -> None:
    assert any(
        each == "machines that make images: two for each new version, an estimated 15 to 60 minutes"
        for each in cost_with(cloud, {"cpu": {}})["not_counted"]
    )


@EVERY_CLOUD
def test_cluster_without_recipes_pays_for_no_image(cloud: str) -> None:
    cost = cost_with(cloud, {})
    assert not list(image_lines(cost))
    assert not any("image" in each for each in cost["not_counted"])
