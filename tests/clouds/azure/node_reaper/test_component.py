import pulumi
import pulumi_azure_native as azure_native
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import TAGS
from hpc_components.azure.node_reaper.component import NodeReaper, NodeReaperArgs
from hpc_components.preview.record import Recording


@pytest.fixture(scope="module")
def recorded() -> Recording:
    def program() -> None:
        network = azure_native.network.VirtualNetwork("network", resource_group_name="cfd")
        args = NodeReaperArgs(group_name="cfd-nodes", location="eastus", tags=TAGS)
        reaper = NodeReaper("cfd-reaper", args, pulumi.ResourceOptions(depends_on=[network]))
        azure_native.compute.VirtualMachineScaleSet("nodes", resource_group_name=reaper.group.name)
        pulumi.export("group", [reaper.group.name, reaper.group.id])

    return checked_preview(program)


def test_the_reaper_is_one_resource_group(recorded):
    (made,) = recorded.children(recorded.one("hpc:azure:NodeReaper"))
    assert made.type == "azure-native:resources:ResourceGroup"
    assert made.inputs == {
        "location": "eastus",
        "resourceGroupName": "cfd-nodes",
        "tags": {"ClusterName": "cfd", "Name": "cfd-reaper", "Project": "wing"},
    }
    assert (made.protect, made.retain) == (False, False), "its end is what it is for"


def test_the_machines_go_before_it_and_the_network_after(recorded):
    reaper = recorded.one("hpc:azure:NodeReaper")
    # the engine deletes children before the dependencies of their parent
    assert recorded.one("VirtualNetwork").urn in reaper.depends_on
    assert recorded.one("ResourceGroup").urn in recorded.one("VirtualMachineScaleSet").depends_on


@pytest.mark.parametrize("name", ["", "cfd/nodes", "n" * 91])
def test_a_name_that_no_resource_group_can_have(name):
    with pytest.raises(ValueError, match=r"^NodeReaperArgs\.group_name: "):
        NodeReaperArgs(group_name=name, location="eastus", tags=TAGS)
