import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import GROUP, TAGS
from hpc_components.azure.fleet.placement_group import PlacementGroup, PlacementGroupArgs

MACHINES = ("Standard_D64s_v5", "Standard_F72s_v2")


@pytest.mark.parametrize(
    ("change", "inputs"),
    [
        ({}, {}),
        ({"zone": "eastus"}, {}),
        ({"machines": MACHINES}, {"intent": {"vmSizes": [*MACHINES]}}),
        ({"zone": "eastus-2", "machines": MACHINES}, {"zones": ["2"], "intent": {"vmSizes": [*MACHINES]}}),
    ],
)
def test_a_placement_group_is_made_as_asked_for(change, inputs):
    args = PlacementGroupArgs(group=GROUP, tags=TAGS, **change)
    recording = checked_preview(lambda: PlacementGroup("pg", args))
    group = recording.one("azure-native:compute:ProximityPlacementGroup", "pg")
    assert group.parent == recording.one("hpc:azure:PlacementGroup", "pg").urn
    assert group.inputs == {
        "location": "eastus",
        "proximityPlacementGroupType": "Standard",
        "resourceGroupName": "cfd",
        "tags": {"Project": "wing", "Name": "pg", "ClusterName": "cfd"},
        **inputs,
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fabric": True}, "fabric: a scale set with InfiniBand already keeps its machines close together"),
        ({"zone": "eastus-1"}, "machines: a group in a zone must list its machine types; list them"),
        ({"zone": "1", "machines": MACHINES}, r"zone: .* write eastus-1"),
        (
            {"zone": "mars", "machines": MACHINES},
            "zone: 'mars' is not a zone of eastus; write a zone such as eastus-1",
        ),
        ({"machines": (MACHINES[0], MACHINES[0])}, r"machines\[1\]: 'Standard_D64s_v5' is a duplicate"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    with pytest.raises(ValueError, match=rf"^PlacementGroupArgs\.{message}"):
        PlacementGroupArgs(group=GROUP, tags=TAGS, **change)
