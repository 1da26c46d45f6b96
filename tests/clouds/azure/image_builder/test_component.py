"""Images that Azure Image Builder makes: what it is told, who uses the result, and who may do what."""

from typing import Any

import pytest

from clouds.test_cluster import DESCRIPTIONS
from hpc_components.azure import Cluster
from hpc_components.azure.image_builder.component import version_number
from hpc_components.preview.record import Recording, record

TEMPLATE, SCRIPT = "VirtualMachineImageTemplate", "azure-native:resources:AzureCliScript"


def described(**changes: Any) -> dict[str, Any]:
    """A cluster with a recipe."""
    plain = DESCRIPTIONS["azure"]
    queues = [{**plain["queues"][0], "image": "cpu"}]
    return {**plain, "images": {"cpu": {}}, "queues": queues, **changes}


def recorded(*, preview: bool = False, **changes: Any) -> Recording:
    return record(lambda: Cluster("cfd", described(**changes)), preview=preview)


@pytest.fixture(scope="module")
def made() -> Recording:
    return recorded()


def test_template_runs_both_steps_before_it_distributes(made: Recording):
    inputs = made.one(TEMPLATE).inputs
    assert [step["type"] for step in inputs["customize"]] == ["File", "Shell"]
    assert inputs["customize"][1]["inline"][0].endswith("bake")
    assert inputs["validate"]["continueDistributeOnFailure"] is False
    assert inputs["validate"]["sourceValidationOnly"] is False
    assert inputs["validate"]["inVMValidations"][1]["inline"][0].endswith("test")
    assert "stagingResourceGroup" not in inputs


def test_machines_that_make_images_are_in_the_cluster_s_subnet(made: Recording):
    subnet = made.one("Subnet", "cfd-nodes")
    assert subnet.urn in made.one(TEMPLATE).property_dependencies["vmProfile"]
    assert subnet.inputs["privateLinkServiceNetworkPolicies"] == "Disabled"


def test_scale_set_has_the_version_that_the_script_waits_for(made: Recording):
    script = made.one(SCRIPT, "cfd-image-cpu-build")
    version = {each["name"]: each["value"] for each in script.inputs["environmentVariables"]}["VERSION"]
    (scale_set,) = (each for each in made.all("VirtualMachineScaleSet") if each.name.startswith("cfd-mpi"))
    profile = scale_set.inputs["virtualMachineProfile"]["storageProfile"]
    assert profile["imageReference"] == {"id": version}
    assert version == made.one(TEMPLATE).inputs["distribute"][0]["galleryImageId"]
    assert script.urn in scale_set.property_dependencies["virtualMachineProfile"]


def test_builds_may_read_bundles_but_not_the_names_of_nodes(made: Recording):
    grants = {each.name: each for each in made.all("RoleAssignment") if each.name.startswith("cfd-images")}
    reads = grants["cfd-images-reads-bundles"].property_dependencies["scope"]
    assert made.one("BlobContainer", "cfd-config-config").urn in reads
    assert sorted(grants) == [
        "cfd-images-joins-network", "cfd-images-reads-bundles", "cfd-images-runs-builds", "cfd-images-writes-images",
    ]  # fmt: skip


def test_old_versions_are_deleted_only_after_the_scale_sets_have_changed(made: Recording):
    removal = made.one("hpc:azure:ImageRetention")
    (scale_set,) = (each for each in made.all("VirtualMachineScaleSet") if each.name.startswith("cfd-mpi"))
    assert scale_set.urn in removal.depends_on


def test_images_are_deleted_along_with_the_group_of_the_nodes(made: Recording):
    group = made.one("ResourceGroup", "cfd-reaper")
    for type_ in ("Gallery", "GalleryImage", TEMPLATE):
        assert (
            made.one(
                f"azure-native:{'virtualmachineimages' if type_ == TEMPLATE else 'compute'}:{type_}"
            ).deleted_with
            == group.urn
        )


def test_same_graph_is_planned_and_made(made: Recording):
    assert [each.urn for each in recorded(preview=True).resources] == [each.urn for each in made.resources]


def test_availability_sets_launch_from_the_image_too():
    queues = [{**DESCRIPTIONS["azure"]["queues"][0], "image": "cpu", "availability_set": True, "zones": ["eastus"]}]
    template = recorded(queues=queues).one("TemplateSpecVersion").inputs["mainTemplate"]
    (machine,) = template["resources"]
    assert "/versions/" in machine["properties"]["storageProfile"]["imageReference"]["id"]


def test_versions_are_three_numbers():
    assert version_number("00010002ffff") == "1.2.65535"


def test_subnet_is_unchanged_without_recipes():
    recording = record(lambda: Cluster("cfd", DESCRIPTIONS["azure"]))
    assert recording.one("Subnet", "cfd-nodes").inputs.get("privateLinkServiceNetworkPolicies") != "Disabled"
