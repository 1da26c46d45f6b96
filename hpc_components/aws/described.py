"""Makes the parts of a described cluster: each function takes one entry of the description."""

from collections.abc import Collection
from typing import cast

import pulumi
import pulumi_aws as aws
from pulumi import ResourceOptions as Options

from hpc_components.aws import from_spec as to
from hpc_components.aws.components.compute_fleet import EfaComputeFleet
from hpc_components.aws.components.data_bucket import DataBucket, ExpressDataBucket
from hpc_components.aws.components.home_filesystem import HomeFilesystem
from hpc_components.aws.components.lustre_filesystem import LustreFilesystem
from hpc_components.aws.components.placement_group import PlacementGroup, PlacementGroupArgs
from hpc_components.aws.components.security_groups import SecurityGroups
from hpc_components.aws.components.vpc import Vpc
from hpc_components.aws.ports import BucketRef, ConfigStore, Network, SecurityGroupIds
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.network import AwsExistingNetwork
from hpc_components.aws.spec.queues import AwsQueue, Placement
from hpc_components.aws.spec.storage import AnyBucket, AnyFileSystem, Efs, Lustre
from hpc_components.aws.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.spec.queue_defaults import placement

__all__ = ["after", "make_bucket", "make_fleet", "make_mount", "make_network"]


def after(opts: Options, *resources: pulumi.Resource) -> Options:
    """`opts`, to be made after `resources` and destroyed before them."""
    return Options.merge(opts, Options(depends_on=list(resources)))


def make_network(cluster: AwsClusterSpec, tags: Tags, opts: Options) -> tuple[Network, list[pulumi.Resource]]:
    """The network, and what of it is ours."""
    if cluster.network.existing is not None:
        return _adopt_network(cluster, cluster.network.existing, tags, opts)
    vpc = Vpc(cluster.name, to.vpc_args(cluster, tags), opts)
    return vpc.network, [vpc]


def _adopt_network(
    cluster: AwsClusterSpec, existing: AwsExistingNetwork, tags: Tags, opts: Options
) -> tuple[Network, list[pulumi.Resource]]:
    """The user's network as components take it, and what was added to it.

    Block volumes want a zone's name, which differs from account to account; the subnets tell it.
    """
    names = {
        zone: aws.ec2.Subnet.get(f"{cluster.name}-existing-{zone}", subnet.id, opts=opts).availability_zone
        for zone, subnet in existing.private.items()
    }
    own = existing.security_groups
    if own is not None:
        ids = SecurityGroupIds(head=own.head, login=own.login, compute=own.compute, storage=own.storage)
        return to.existing_network(existing, ids, names), []
    groups = SecurityGroups(cluster.name, to.security_groups_args(cluster, existing, tags), opts)
    return to.existing_network(existing, groups.ids, names), [groups]


def make_mount(
    cluster: AwsClusterSpec, key: str, storage: AnyFileSystem, network: Network, tags: Tags, opts: Options
) -> tuple[FileSystemMount, list[pulumi.Resource]]:
    """A file system as nodes mount it, and what of it is ours."""
    name = f"{cluster.name}-{key}"
    if not isinstance(storage, Efs) and storage.existing is not None:
        return to.existing_mount(key, storage), []
    if isinstance(storage, Lustre):
        made = LustreFilesystem(name, to.lustre_args(cluster, storage, network, tags), opts)
    else:
        made = HomeFilesystem(name, to.home_args(cluster, storage, network, tags), opts)
    return made.mount, [made]


def make_bucket(cluster: AwsClusterSpec, key: str, bucket: AnyBucket, tags: Tags, opts: Options) -> BucketRef:
    """A bucket that moves objects to colder storage, or fast ones in the zone of the nodes."""
    name = f"{cluster.name}-{key}"
    if bucket.type == "s3":
        made = DataBucket(name, to.bucket_args(cluster, bucket, tags), opts)
        return BucketRef(name=key, buckets=(made.bucket_name,), arns=(made.arn,))
    fast = ExpressDataBucket(name, to.express_bucket_args(cluster, key, bucket, tags), opts)
    return BucketRef(name=key, buckets=fast.bucket_names, arns=fast.arn_patterns, express=True)


def make_fleet(
    cluster: AwsClusterSpec,
    queue: AwsQueue,
    network: Network,
    config: ConfigStore,
    buckets: Collection[BucketRef],
    tags: Tags,
    opts: Options,
) -> EfaComputeFleet:
    """The machines of one queue, in their placement group."""
    name = f"{cluster.name}-{queue.name}"
    strategy = cast(Placement, placement(queue))  # an `AwsQueue` has no other
    group = None
    if strategy != "none":
        group = PlacementGroup(name, PlacementGroupArgs(strategy=strategy, tags=tags), opts).group_name
    return EfaComputeFleet(name, to.fleet_args(cluster, queue, network, config, tags, group, buckets), opts)
