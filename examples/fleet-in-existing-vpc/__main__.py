"""A fleet of EFA nodes in an existing VPC: plain ids go in, launch templates come out."""

import pulumi

from hpc_components.aws import (
    EfaComputeFleet,
    EfaComputeFleetArgs,
    NodeIdentity,
    NodeIdentityArgs,
    PlacementGroup,
    PlacementGroupArgs,
    RootDisk,
    Tags,
)
from hpc_components.aws.ports import ConfigStore, Network, SecurityGroupIds
from hpc_components.boot import user_data

tags = Tags("cfd", {"Team": "aero"})

network = Network(
    id="vpc-0123456789abcdef0",
    cidr="10.0.0.0/16",
    private_subnets={"use2-az2": "subnet-0123456789abcdef0"},
    security_groups=SecurityGroupIds(
        head=("sg-0123456789abcdef0",),
        login=("sg-0123456789abcdef0",),
        compute=("sg-0123456789abcdef1",),  # must allow all traffic to and from itself, for EFA
        storage=("sg-0123456789abcdef2",),
    ),
)

group = PlacementGroup("cfd", PlacementGroupArgs(strategy="cluster", tags=tags))

nodes = NodeIdentity("cfd", NodeIdentityArgs(queue="compute", tags=tags))

fleet = EfaComputeFleet(
    "cfd",
    EfaComputeFleetArgs(
        queue="compute",
        machines=("hpc7a.96xlarge", "hpc6a.48xlarge"),
        network=network,
        zones=("use2-az2",),
        max=32,
        placement_group=group.group_name,
        image="ami-0123456789abcdef0",
        user_data=user_data("aws"),
        root=RootDisk(size_gib=64),
        config=ConfigStore(bucket="our-cluster-config", arn="arn:aws:s3:::our-cluster-config"),
        identities=nodes.identities,
        tags=tags,
    ),
)

pulumi.export("launch_templates", dict(fleet.fleet.launch_templates))
