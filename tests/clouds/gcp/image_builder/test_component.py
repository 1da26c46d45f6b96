"""Images that machines of the stack make on Google Cloud, and how an update waits for them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from clouds.test_cluster import DESCRIPTIONS
from hpc_components.gcp import Cluster
from hpc_components.gcp.image_builder.component import BAKE_SECONDS, TEST_SECONDS
from hpc_components.gcp.plan.machines import machine_uses
from hpc_components.gcp.plan.reader import GcpPlanReader
from hpc_components.preview.plan import resources_of
from hpc_components.preview.record import RecordedResource, Recording, record
from hpc_components.testing import ProgramError

OTHER_BASE = "projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20260101"
IMAGE, MACHINE, DISK = "gcp:compute/image:Image", "gcp:compute/instance:Instance", "gcp:compute/disk:Disk"


def described(**changes: Any) -> dict[str, Any]:
    """A cluster with a recipe."""
    plain = DESCRIPTIONS["gcp"]
    queues = [{**plain["queues"][0], "image": "cpu"}]
    return {**plain, "images": {"cpu": {}}, "queues": queues, **changes}


def answers(
    result: Callable[[str], str] = lambda _: "ok", status: str = "TERMINATED", made: Sequence[str] = ()
) -> Mapping[str, Any]:
    """What Google answers: machines are off, `result` takes the path of a result, and images called `made` exist,
    oldest first."""
    images = [
        {"name": name, "creationTimestamp": f"2026-11-{day:02}T00:00:00.000-08:00"}
        for day, name in enumerate(made, start=1)
    ]
    return {
        "gcp:compute/getImages:getImages": {"images": images},
        "gcp:compute/getInstance:getInstance": {"currentStatus": status},
        "gcp:storage/getBucketObjects:getBucketObjects": lambda args: {
            "bucketObjects": [{"name": args["prefix"]}] if result(args["prefix"]) else []
        },
        "gcp:storage/getBucketObjectContent:getBucketObjectContent": lambda args: {"content": result(args["name"])},
    }


def recorded(
    *, preview: bool = False, invokes: Mapping[str, Any] | None = None, keep: int = 3, **changes: Any
) -> Recording:
    calls = (None if preview else answers()) if invokes is None else invokes
    description = described(**{"images": {"cpu": {"keep": keep}}, **changes})
    return record(lambda: Cluster("cfd", description), preview=preview, invokes=calls)


@pytest.fixture(scope="module")
def made() -> Recording:
    return recorded()


def version_of(made: Recording) -> str:
    return str(made.one("hpc:gcp:BakedImage").inputs["version"])


def machine(made: Recording, step: str) -> RecordedResource:
    return made.one(MACHINE, f"cfd-image-cpu-{version_of(made)}-{step}")


def test_image_is_made_of_the_disk_on_which_the_bundle_was_run(made: Recording):
    baked, image = machine(made, "bake"), made.one(IMAGE)
    disk = made.one(DISK, f"cfd-image-cpu-{version_of(made)}-disk")
    assert baked.property_dependencies["bootDisk"] == (disk.urn,)
    assert {disk.urn, baked.urn} <= {*image.property_dependencies["sourceDisk"]}
    assert image.inputs["sourceDisk"].endswith(f"/zones/us-central1-a/disks/{disk.inputs['name']}")


def test_template_waits_for_the_test_of_the_image(made: Recording):
    template = made.one("RegionInstanceTemplate", "cfd-mpi-c2-standard-8-us-central1-a")
    (disk,) = template.inputs["disks"]
    assert "standin-cfd-image-cpu" in disk["sourceImage"]
    assert {machine(made, "test").urn, made.one(IMAGE).urn} <= {*template.property_dependencies["disks"]}


@pytest.mark.parametrize("step", ["bake", "test"])
def test_machine_is_deleted_by_itself_or_by_google_but_never_by_pulumi(made: Recording, step: str):
    each = machine(made, step)
    assert each.retain
    scheduling = each.inputs["scheduling"]
    assert scheduling["instanceTerminationAction"] == "DELETE"
    assert scheduling["maxRunDuration"]["seconds"] in (BAKE_SECONDS, TEST_SECONDS)
    assert each.inputs["bootDisk"]["autoDelete"], "a disk would stay"


@pytest.mark.parametrize("step", ["bake", "test"])
def test_machine_that_no_longer_exists_is_never_changed(made: Recording, step: str):
    each = machine(made, step)
    assert {*each.inputs} - {"project", "zone"} == {*each.ignore_changes}


OLD = tuple(f"cfd-image-cpu-{number:012x}" for number in (3, 2, 1))


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_newest_versions_stay_as_many_as_the_recipe_keeps(keep: int):
    made = recorded(invokes=answers(made=OLD), keep=keep)
    names = {each.inputs["name"] for each in made.all(IMAGE)} - {f"cfd-image-cpu-{version_of(made)}"}
    assert names == {*OLD[len(OLD) + 1 - keep :]}


def test_version_that_stays_has_the_inputs_with_which_it_was_made(made: Recording):
    (then,) = made.all(IMAGE)
    images = {"cpu": {"base": OTHER_BASE, "keep": 5}}
    later = recorded(invokes=answers(made=[then.inputs["name"], *OLD]), images=images)
    now = later.one(IMAGE, then.name)
    assert (now.urn, now.inputs) == (then.urn, then.inputs)


def test_images_of_other_recipes_are_not_taken_for_versions():
    made = recorded(invokes=answers(made=["cfd-image-cpu-large-000000000001", "cfd-image-cpu-1"]), keep=3)
    assert len(made.all(IMAGE)) == 1


def test_way_back_does_not_wait_for_a_build(made: Recording):
    def result(path: str) -> str:
        return "" if "-bake-" in path else "ok"

    back = recorded(invokes=answers(result, made=[made.one(IMAGE).inputs["name"]]))
    assert [each.urn for each in back.resources] == [each.urn for each in made.resources]


def test_machines_have_no_public_address_and_an_account_of_their_own(made: Recording):
    for machine in (each for each in made.all(MACHINE) if each.name.startswith("cfd-image")):
        (card,) = machine.inputs["networkInterfaces"]
        assert "accessConfigs" not in card
        assert made.one("Account", "cfd-images-account").urn in machine.property_dependencies["serviceAccount"]
        assert machine.inputs["labels"]["hpc_role"] == "image"  # the daemon does not take it for a node


def test_account_reaches_only_objects_below_images(made: Recording):
    grants = [each for each in made.all("BucketIAMMember") if each.name.startswith("cfd-images")]
    assert {each.inputs["role"] for each in grants} == {"roles/storage.objectViewer", "roles/storage.objectCreator"}
    assert {each.inputs["condition"]["title"] for each in grants} == {"objects that begin with images/"}


def test_account_ends_only_machines_disks_and_images_of_builds(made: Recording):
    grant = made.one("IAMMember", "cfd-images-ends-machines")
    assert grant.inputs["condition"]["title"] == "names that begin with cfd-image-"
    named = {each.inputs.get("name") or each.name for each in (*made.all(IMAGE), machine(made, "bake"))}
    assert all(name.startswith("cfd-image-") for name in named)


def test_head_node_may_launch_machines_from_the_image(made: Recording):
    assert made.one(IMAGE).urn in made.one("ImageIamMember").property_dependencies["image"]


def test_preview_is_the_same_graph_without_a_cloud(made: Recording):
    assert [each.urn for each in recorded(preview=True).resources] == [each.urn for each in made.resources]


@pytest.mark.parametrize("step", ["bake", "test"])
def test_failed_step_fails_the_update_with_the_machine_s_words(step: str):
    def result(path: str) -> str:
        return "failed: no space left" if f"-{step}-" in path else "ok"

    with pytest.raises(ProgramError, match=f"{step} failed: no space left"):
        recorded(invokes=answers(result))


def test_machine_without_a_result_fails_the_update():
    with pytest.raises(ProgramError, match="ended without a result"):
        recorded(invokes=answers(lambda _: ""))


def test_machines_that_make_images_are_not_billed_as_if_they_ran(made: Recording):
    billed = {name for use in machine_uses(resources_of(made)) for name in use.machines}
    assert billed == {"c2-standard-8", "n2-standard-2"}


def test_disks_that_make_images_are_not_billed_as_if_they_stayed(made: Recording):
    services = GcpPlanReader().services(resources_of(made))
    assert [use.what for use in services if "image" in use.what] == ["image cpu: 3 versions"]
