"""A whole cluster, described in Python instead of YAML: the same models, rules and components as the stack files'."""

from ipaddress import IPv4Network

import pulumi
import pulumi_aws as aws

from hpc_components import aws as hpc
from hpc_components.aws import Tags
from hpc_components.aws import from_spec as to
from hpc_components.aws.described import after
from hpc_components.aws.spec import AwsClusterSpec, AwsHeadNode, AwsNetwork, AwsQueue, Efs
from hpc_components.spec import check

DEPARTMENTS = {"physics": 16, "chemistry": 8}
HOME = Efs(type="efs", mount="/home")

cluster = check(
    AwsClusterSpec(
        cloud="aws",
        name="campus",
        region="us-east-2",
        zone="use2-az2",
        network=AwsNetwork(cidr=IPv4Network("10.30.0.0/16")),
        head_node=AwsHeadNode(machine="m7i.large"),
        storage={"home": HOME},
        queues=tuple(
            AwsQueue(name=department, machine="hpc6a.48xlarge", max=nodes)
            for department, nodes in DEPARTMENTS.items()
        ),
    )
)

tags = Tags(cluster.name)
opts = pulumi.ResourceOptions(provider=aws.Provider("aws", region=cluster.region))

vpc = hpc.Vpc(cluster.name, to.vpc_args(cluster, tags), opts)
home = hpc.HomeFilesystem("home", to.home_args(cluster, HOME, vpc.network, tags), after(opts, vpc))
config = hpc.ConfigBucket("config", to.config_args(cluster, [home.mount], tags), opts)
group = hpc.PlacementGroup("compute", hpc.PlacementGroupArgs(strategy="cluster", tags=tags), opts)
fleets = [
    hpc.EfaComputeFleet(
        queue.name, to.fleet_args(cluster, queue, vpc.network, config.store, tags, group.group_name), opts
    )
    for queue in cluster.queues
]
reaper = hpc.NodeReaper(
    "reaper", to.reaper_args(cluster, config.store, tags), after(opts, vpc, home, config, *fleets)
)
head = hpc.SlurmHeadNode(
    "head",
    to.head_args(cluster, vpc.network, config.store, tuple(fleet.fleet for fleet in fleets), tags),
    after(opts, reaper),
)

pulumi.export("head_node", head.private_ip)
