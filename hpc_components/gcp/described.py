"""Makes the parts of a described cluster: each function takes one entry of the description."""

from collections.abc import Collection

import pulumi
from pulumi import ResourceOptions as Options

from hpc_components.gcp import from_spec as to
from hpc_components.gcp.components.compute_fleet import CompactComputeFleet
from hpc_components.gcp.components.data_bucket import DataBucket
from hpc_components.gcp.components.home_filesystem import HomeFilesystem
from hpc_components.gcp.components.lustre_filesystem import LustreFilesystem
from hpc_components.gcp.components.node_identity import NodeIdentity
from hpc_components.gcp.components.placement_group import PlacementGroup
from hpc_components.gcp.components.vpc import Vpc
from hpc_components.gcp.ports import BucketRef, Identities, Identity, Network, Services
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.queues import GcpQueue
from hpc_components.gcp.spec.storage import AnyBucket, AnyFileSystem, Lustre
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.spec.queue_defaults import placement

__all__ = ["after", "make_bucket", "make_fleet", "make_identities", "make_mount", "make_network"]


def after(opts: Options, *resources: pulumi.Resource) -> Options:
    """`opts`, to be made after `resources` and destroyed before them."""
    return Options.merge(opts, Options(depends_on=list(resources)))


def make_network(cluster: GcpClusterSpec, tags: Tags, opts: Options) -> tuple[Network, list[pulumi.Resource]]:
    """The network, and what of it is ours."""
    if cluster.network.existing is not None:
        return to.existing_network(cluster, cluster.network.existing), []
    vpc = Vpc(cluster.name, to.vpc_args(cluster, tags), opts)
    return vpc.network, [vpc]


def make_identities(
    cluster: GcpClusterSpec,
    place: str,
    own: str | None,
    buckets: Collection[BucketRef],
    opts: Options,
    *,
    people: str | None,
) -> tuple[Identities, list[pulumi.Resource]]:
    """The service accounts of the nodes at `place`, and what of them is ours.

    `own` is the email of one of the user's, which gets no roles. `people`: where the people or jobs on the nodes are,
    as buckets name it; None if there are none.
    """
    if own is not None:
        return Identities(own=Identity(email=own, is_ours=False)), []
    made = NodeIdentity(f"{cluster.name}-{place}", to.identity_args(cluster, people, buckets), opts)
    return made.identities, [made]


def make_mount(
    cluster: GcpClusterSpec,
    key: str,
    storage: AnyFileSystem,
    network: Network,
    as_head: Identities,
    tags: Tags,
    opts: Options,
) -> tuple[FileSystemMount, list[pulumi.Resource]]:
    """A file system as nodes mount it, and what of it is ours."""
    name = f"{cluster.name}-{key}"
    if storage.existing is not None:
        return to.existing_mount(key, storage), []
    if isinstance(storage, Lustre):
        made = LustreFilesystem(name, to.lustre_args(cluster, storage, network, as_head, tags), opts)
    else:
        made = HomeFilesystem(name, to.home_args(cluster, storage, network, tags), opts)
    return made.mount, [made]


def make_bucket(cluster: GcpClusterSpec, key: str, bucket: AnyBucket, tags: Tags, opts: Options) -> BucketRef:
    """A bucket that moves objects to colder storage."""
    return DataBucket(f"{cluster.name}-{key}", to.bucket_args(cluster, bucket, tags), opts).bucket(key)


def make_fleet(
    cluster: GcpClusterSpec,
    queue: GcpQueue,
    network: Network,
    identities: Identities,
    services: Services,
    tags: Tags,
    opts: Options,
) -> CompactComputeFleet:
    """The machines of one queue, on different hardware if they are to be. The daemon puts them close together."""
    name, policy = f"{cluster.name}-{queue.name}", None
    if placement(queue) == "spread":
        policy = PlacementGroup(name, to.placement_args(cluster, tags), opts).policy_id
    args = to.fleet_args(cluster, queue, network, identities, services, tags, policy)
    return CompactComputeFleet(name, args, opts)
