import pytest

from clouds.aws.sample import TAGS
from hpc_components.aws.fleet.placement_group import PlacementGroup, PlacementGroupArgs
from hpc_components.preview.record import record


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize(
    ("args", "inputs"),
    [
        ({"strategy": "cluster"}, {"strategy": "cluster"}),
        ({"strategy": "partition", "partitions": 3}, {"strategy": "partition", "partitionCount": 3}),
        ({"strategy": "partition"}, {"strategy": "partition", "partitionCount": 7}),
        ({"strategy": "spread", "spread_level": "rack"}, {"strategy": "spread", "spreadLevel": "rack"}),
    ],
)
def test_a_placement_group_is_made_as_asked_for(preview, args, inputs):
    recording = record(lambda: PlacementGroup("pg", PlacementGroupArgs(tags=TAGS, **args)), preview=preview)
    group = recording.one("aws:ec2/placementGroup:PlacementGroup", "pg")
    assert group.parent == recording.one("hpc:aws:PlacementGroup", "pg").urn
    assert {key: value for key, value in group.inputs.items() if key != "tags"} == inputs
    assert group.inputs["tags"] == {"Project": "wing", "Name": "pg", "ClusterName": "cfd"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            {"strategy": "clusterz"},
            r"PlacementGroupArgs.strategy: 'clusterz' is unknown; use one of cluster, partition, spread",
        ),
        (
            {"strategy": "cluster", "partitions": 3},
            r"PlacementGroupArgs.partitions: a cluster group has no partitions",
        ),
        ({"strategy": "partition", "partitions": 8}, r"PlacementGroupArgs.partitions: 8 is out of range; use 1 to 7"),
        (
            {"strategy": "cluster", "spread_level": "rack"},
            r"PlacementGroupArgs.spread_level: a cluster group has no spread level",
        ),
        ({"strategy": "spread", "spread_level": "room"}, r"PlacementGroupArgs.spread_level: 'room' is unknown"),
    ],
)
def test_wrong_arguments_are_named(args, message):
    with pytest.raises(ValueError, match=message):
        PlacementGroupArgs(tags=TAGS, **args)
