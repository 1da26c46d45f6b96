"""A cluster on AWS, from the description in the stack file. Reads top-down, as the cluster is built."""

import pulumi
import pulumi_aws as aws

from hpc_components import aws as hpc
from hpc_components.aws import from_spec as to
from hpc_components.aws.existing_network import adopt_network
from hpc_components.ports import ConfigStore, FileSystemMount, Network, Tags
from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.queues import Queue
from hpc_components.spec.storage import BucketSpec, Efs, FileSystem, Lustre


def main(cluster: AwsClusterSpec) -> None:
    """Make the cluster."""
    name, tags = cluster.name, Tags(cluster.name, cluster.tags)
    opts = pulumi.ResourceOptions(provider=aws.Provider("aws", region=cluster.region))

    network, ground = make_network(cluster, tags, opts)
    # FSx refuses a file system whose security group does not have its rules yet.
    on_ground = after(opts, *ground)
    stores = [make_mount(cluster, key, storage, network, tags, on_ground) for key, storage in cluster.storage.items()]
    mounts, file_systems = [mount for mount, _ in stores], [made for _, ours in stores for made in ours]
    for key, bucket in cluster.buckets.items():
        make_bucket(cluster, key, bucket, tags, opts)
    config = hpc.ConfigBucket(f"{name}-config", to.config_args(cluster, mounts, tags), opts)
    fleets = [make_fleet(cluster, queue, network, config.store, tags, opts) for queue in cluster.queues]
    if cluster.budget:
        hpc.ClusterBudget(f"{name}-budget", to.budget_args(cluster, cluster.budget, tags), opts)

    # Nodes boot when what they fetch and mount is there: a new node gives up long before a file system is made.
    # A destroy goes the other way round: the head node first, then the reaper ends its compute nodes, then the rest.
    on_all = after(opts, *ground, *file_systems, config)
    reaper = hpc.NodeReaper(f"{name}-reaper", to.reaper_args(cluster, tags), after(on_all, *fleets))
    refs = tuple(fleet.fleet for fleet in fleets)
    head_args = to.head_args(cluster, network, config.store, refs, tags)
    head = hpc.SlurmHeadNode(f"{name}-head", head_args, after(opts, reaper))
    pulumi.export("head_node", {"private_ip": head.private_ip, "public_ip": head.public_ip})
    if cluster.login_nodes:
        login_args = to.login_args(cluster, cluster.login_nodes, network, config.store, tags)
        pulumi.export("login", hpc.LoginNodeNLB(f"{name}-login", login_args, on_all).dns_name)


Options = pulumi.ResourceOptions


def after(opts: Options, *resources: pulumi.Resource) -> Options:
    """`opts`, to be made after `resources` and destroyed before them."""
    return Options.merge(opts, Options(depends_on=list(resources)))


def make_network(cluster: AwsClusterSpec, tags: Tags, opts: Options) -> tuple[Network, list[pulumi.Resource]]:
    """The network, and what of it is ours."""
    if cluster.network.existing is not None:
        return adopt_network(cluster, tags, opts)
    vpc = hpc.Vpc(cluster.name, to.vpc_args(cluster, tags), opts)
    return vpc.network, [vpc]


def make_mount(
    cluster: AwsClusterSpec, key: str, storage: FileSystem, network: Network, tags: Tags, opts: Options
) -> tuple[FileSystemMount, list[pulumi.Resource]]:
    """A file system as nodes mount it, and what of it is ours."""
    name = f"{cluster.name}-{key}"
    if not isinstance(storage, Efs) and storage.existing is not None:
        return to.existing_mount(key, storage), []
    if isinstance(storage, Lustre):
        made = hpc.LustreFilesystem(name, to.lustre_args(cluster, storage, network, tags), opts)
    else:
        made = hpc.HomeFilesystem(name, to.home_args(cluster, storage, network, tags), opts)
    return made.mount, [made]


def make_bucket(cluster: AwsClusterSpec, key: str, bucket: BucketSpec, tags: Tags, opts: Options) -> None:
    """A bucket that grows cold, or fast ones in the zone of the nodes."""
    name = f"{cluster.name}-{key}"
    if bucket.type == "s3":
        hpc.DataBucket(name, to.bucket_args(cluster, bucket, tags), opts)
    else:
        hpc.ExpressDataBucket(name, to.express_bucket_args(cluster, key, bucket, tags), opts)


def make_fleet(
    cluster: AwsClusterSpec, queue: Queue, network: Network, config: ConfigStore, tags: Tags, opts: Options
) -> hpc.EfaComputeFleet:
    """The machines of one queue, in their placement group."""
    name = f"{cluster.name}-{queue.name}"
    strategy = to.placement_of(queue)
    group = None
    if strategy != "none":
        group = hpc.PlacementGroup(name, hpc.PlacementGroupArgs(strategy=strategy, tags=tags), opts).group_name
    return hpc.EfaComputeFleet(name, to.fleet_args(cluster, queue, network, config, tags, group), opts)
