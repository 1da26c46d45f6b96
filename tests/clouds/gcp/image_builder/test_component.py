"""Images that machines of the stack make on Google Cloud, and how an update waits for them."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from clouds.test_cluster import DESCRIPTIONS
from hpc_components.gcp import Cluster
from hpc_components.gcp.plan.machines import machine_uses
from hpc_components.preview.plan import resources_of
from hpc_components.preview.record import Recording, record
from hpc_components.testing import ProgramError

IMAGE, MACHINE, DISK = "gcp:compute/image:Image", "gcp:compute/instance:Instance", "gcp:compute/disk:Disk"


def described(**changes: Any) -> dict[str, Any]:
    """A cluster with a recipe."""
    plain = DESCRIPTIONS["gcp"]
    queues = [{**plain["queues"][0], "image": "cpu"}]
    return {**plain, "images": {"cpu": {}}, "queues": queues, **changes}


def answers(result: Callable[[str], str] = lambda _: "ok", status: str = "TERMINATED") -> Mapping[str, Any]:
    """What Google answers: machines are off, and `result` takes the path of a result."""
    return {
        "gcp:compute/getInstance:getInstance": {"currentStatus": status},
        "gcp:storage/getBucketObjects:getBucketObjects": lambda args: {
            "bucketObjects": [{"name": args["prefix"]}] if result(args["prefix"]) else []
        },
        "gcp:storage/getBucketObjectContent:getBucketObjectContent": lambda args: {"content": result(args["name"])},
    }


def recorded(*, preview: bool = False, invokes: Mapping[str, Any] | None = None) -> Recording:
    calls = (None if preview else answers()) if invokes is None else invokes
    return record(lambda: Cluster("cfd", described()), preview=preview, invokes=calls)


@pytest.fixture(scope="module")
def made() -> Recording:
    return recorded()


def test_image_is_of_the_disk_on_which_the_bundle_was_run(made: Recording):
    baked, image = made.one(MACHINE, "cfd-image-cpu-bake"), made.one(IMAGE)
    disk = made.one(DISK, "cfd-image-cpu-disk")
    assert baked.property_dependencies["bootDisk"] == (disk.urn,)
    assert {disk.urn, baked.urn} <= {*image.property_dependencies["sourceDisk"]}


def test_template_waits_for_the_test_of_the_image(made: Recording):
    tested, template = (
        made.one(MACHINE, "cfd-image-cpu-test"),
        made.one("RegionInstanceTemplate", "cfd-mpi-c2-standard-8-us-central1-a"),
    )
    (disk,) = template.inputs["disks"]
    assert "standin-cfd-image-cpu" in disk["sourceImage"]
    assert {tested.urn, made.one(IMAGE).urn} <= {*template.property_dependencies["disks"]}


def test_machines_have_no_public_address_and_an_account_of_their_own(made: Recording):
    for machine in (each for each in made.all(MACHINE) if each.name.startswith("cfd-image")):
        (card,) = machine.inputs["networkInterfaces"]
        assert "accessConfigs" not in card
        assert made.one("Account", "cfd-images-account").urn in machine.property_dependencies["serviceAccount"]
        assert machine.inputs["labels"]["hpc_role"] == "image"  # the daemon does not take it for a node


def test_account_reaches_only_what_is_below_images(made: Recording):
    grants = [each for each in made.all("BucketIAMMember") if each.name.startswith("cfd-images")]
    assert {each.inputs["role"] for each in grants} == {"roles/storage.objectViewer", "roles/storage.objectCreator"}
    assert {each.inputs["condition"]["title"] for each in grants} == {"objects that begin with images/"}


def test_head_node_may_launch_machines_from_the_image(made: Recording):
    assert made.one(IMAGE).urn in made.one("ImageIamMember").property_dependencies["image"]


def test_new_version_begins_with_a_new_disk(made: Recording):
    version = made.one("hpc:gcp:BakedImage").inputs["version"]
    assert version in made.one(DISK, "cfd-image-cpu-disk").inputs["description"]


def test_preview_plans_the_same_graph_and_asks_nothing(made: Recording):
    assert [each.urn for each in recorded(preview=True).resources] == [each.urn for each in made.resources]


@pytest.mark.parametrize("step", ["bake", "test"])
def test_failed_step_fails_the_update_with_the_machine_s_words(step: str):
    def result(path: str) -> str:
        return "failed: no space left" if f"-{step}-" in path else "ok"

    with pytest.raises(ProgramError, match=f"{step} failed: no space left"):
        recorded(invokes=answers(result))


def test_machine_without_a_result_fails_the_update():
    with pytest.raises(ProgramError, match="powered off without a result"):
        recorded(invokes=answers(lambda _: ""))


def test_machines_that_make_images_are_not_billed_as_if_they_ran(made: Recording):
    billed = {name for use in machine_uses(resources_of(made)) for name in use.machines}
    assert billed == {"c2-standard-8", "n2-standard-2"}
