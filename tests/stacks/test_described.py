"""What the program makes of a description where two parts of it meet."""

from described_aws import recorded

CLUSTER = """\
cloud: aws
name: lab
region: us-east-2
zone: use2-az3
network: {cidr: 10.20.0.0/16}
head_node: {machine: c6i.xlarge}
storage: {home: {type: efs, mount: /home}}
"""
CR = "cr-0123456789abcdef0"


def test_only_machines_that_are_not_reserved_get_a_placement_group_by_themselves() -> None:
    recording = recorded(
        f"""{CLUSTER}queues:
- {{name: any, machine: p5.48xlarge, max: 2}}
- {{name: block, machine: p5.48xlarge, max: 2, purchase: {{capacity_block: {CR}}}}}
- {{name: own, machine: p5.48xlarge, max: 2, purchase: {{reservation: cr-0123456789abcdef1}}}}
- {{name: racks, machine: c7i.large, max: 20, placement: partition}}
"""
    )
    groups = {each.name: each.inputs for each in recording.all("aws:ec2/placementGroup:PlacementGroup")}
    assert {name: each["strategy"] for name, each in groups.items()} == {
        "lab-any": "cluster",
        "lab-racks": "partition",
    }
    assert groups["lab-racks"]["partitionCount"] == 7
    placed = {
        each.inputs["tags"]["hpc:queue"]: "placement" in each.inputs
        for each in recording.all("LaunchTemplate")
        if "hpc:queue" in each.inputs["tags"]
    }
    assert placed == {"any": True, "block": False, "own": False, "racks": True}
