"""Arguments of head node, login nodes and fleets."""

from collections.abc import Collection
from typing import Literal, cast

from pulumi import Input

from hpc_components.aws.catalog.images import image_parameter, root_device
from hpc_components.aws.components.compute_fleet import EfaComputeFleetArgs
from hpc_components.aws.components.launch_template import RootDisk
from hpc_components.aws.components.login_node_nlb import LoginNodeNLBArgs
from hpc_components.aws.components.node_identity import NodeIdentityArgs
from hpc_components.aws.components.policies import arn
from hpc_components.aws.components.slurm_head_node import SlurmHeadNodeArgs, StateDisk
from hpc_components.aws.ports import BucketAccess, BucketRef, ConfigStore, FleetRef, Identities, Identity, Network
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.nodes import AwsDisk, AwsLoginNodes
from hpc_components.aws.spec.queue_root import root_of
from hpc_components.aws.spec.queues import AwsQueue, PurchaseKind
from hpc_components.aws.tags import Tags
from hpc_components.boot import user_data
from hpc_components.catalog import machine
from hpc_components.spec.addresses import head_address
from hpc_components.spec.bucket_access import LOGIN, bucket_access
from hpc_components.spec.queue_defaults import purchase_kind, reservation_id

_DRIVERS: dict[str, Literal["nvidia", "neuron"]] = {"NVIDIA": "nvidia", "AWS": "neuron"}
"""Driver that an image must contain, by manufacturer of the accelerators."""


def identity_args(
    cluster: AwsClusterSpec, place: str | None, buckets: Collection[BucketRef], tags: Tags
) -> NodeIdentityArgs:
    """Return the arguments of the nodes' roles at `place`: a queue, `LOGIN`, or None for nodes without users."""
    may = [(each, bucket_access(cluster.buckets[each.name], place) if place else None) for each in buckets]
    read = tuple(bucket for bucket, what in may if what == "read")
    write = tuple(bucket for bucket, what in may if what == "write")
    return NodeIdentityArgs(
        queue=None if place == LOGIN else place,
        buckets=BucketAccess(read=read, write=write) if read or write else None,
        permissions_boundary=cluster.iam.permissions_boundary,
        role_path=cluster.iam.role_path,
        tags=tags,
    )


def existing_identity(profile: str, role: str | None) -> Identity:
    """Return an existing identity; the default role has the profile's name, as the AWS console creates it."""
    return Identity(instance_profile=profile, role_arn=role or arn("iam", f"role/{profile}", region=""))


def image(cluster: AwsClusterSpec, machine_type: str, own: str | None) -> str:
    """Return the image of the description, or the default for this machine type, which EC2 resolves at launch."""
    if own is not None:
        return own
    facts = machine("aws", machine_type)
    arch = facts.arch if facts else "x86_64"
    driver = _DRIVERS.get(facts.accelerator.manufacturer) if facts and facts.accelerator else None
    parameter = image_parameter(cluster.os, arch, driver)
    if parameter is None:
        raise ValueError(
            f"the catalogue has no image of {cluster.os} for {machine_type}; give its id as image: ami-..."
        )
    return f"resolve:ssm:{parameter.parameter}"


def root_disk(cluster: AwsClusterSpec, disk: AwsDisk) -> RootDisk:
    """Return the root disk of a node, with the device name of the cluster's operating system."""
    return RootDisk(
        device=root_device(cluster.os),
        size_gib=int(disk.size.in_gib),
        type=disk.type,
        iops=disk.iops,
        throughput=disk.throughput,
        kms_key=disk.kms_key,
    )


def fleet_args(
    cluster: AwsClusterSpec,
    queue: AwsQueue,
    network: Network,
    identities: Identities,
    config: ConfigStore,
    tags: Tags,
    placement_group: Input[str] | None,
) -> EfaComputeFleetArgs:
    """Return the arguments of a queue's fleet."""
    return EfaComputeFleetArgs(
        queue=queue.name,
        machines=queue.machines,
        network=network,
        zones=cluster.queue_zones(queue),
        max=queue.max,
        min=queue.min,
        purchase=cast(PurchaseKind, purchase_kind(queue)),  # an `AwsQueue` allows no other
        reservation_id=reservation_id(queue),
        max_spot_price=queue.max_spot_price,
        placement_group=placement_group,
        efa=queue.fabric,
        smt=queue.smt,
        image=image(cluster, queue.machine, queue.image),
        user_data=user_data(cluster.cloud),
        root=root_disk(cluster, root_of(queue)),
        config=config,
        identities=identities,
        tags=tags,
    )


def head_args(
    cluster: AwsClusterSpec,
    network: Network,
    identities: Identities,
    config: ConfigStore,
    fleets: tuple[FleetRef, ...],
    tags: Tags,
) -> SlurmHeadNodeArgs:
    """Return the arguments of the head node."""
    head, accounting = cluster.head_node, cluster.slurm.accounting
    keys = {key for queue in cluster.queues if (key := root_of(queue).kms_key)} | set(cluster.iam.kms_keys)
    database = accounting.database if accounting else None
    subnets = network.public_subnets if head.public else network.private_subnets
    return SlurmHeadNodeArgs(
        machine=head.machine,
        image=image(cluster, head.machine, head.image),
        user_data=user_data(cluster.cloud),
        subnet_id=subnets[cluster.zone],
        availability_zone=network.zone_names[cluster.zone],
        private_ip=str(head_address(cluster)),
        security_group_ids=network.security_groups.head,
        public=head.public,
        root=root_disk(cluster, head.root),
        state=StateDisk(
            size_gib=int(head.state.size.in_gib),
            type=head.state.type,
            iops=head.state.iops,
            throughput=head.state.throughput,
            kms_key=head.state.kms_key,
        ),
        config=config,
        identities=identities,
        fleets=fleets,
        kms_keys=tuple(sorted(keys)),
        read_secrets=(database.password_secret,) if database else (),
        key_pair=head.key_pair,
        log_retention_days=int(cluster.log_retention.days),
        retain=not cluster.throw_away,
        tags=tags,
    )


def login_args(
    cluster: AwsClusterSpec,
    login: AwsLoginNodes,
    network: Network,
    identities: Identities,
    config: ConfigStore,
    tags: Tags,
) -> LoginNodeNLBArgs:
    """Return the arguments of the login nodes and their load balancer."""
    return LoginNodeNLBArgs(
        machine=login.machine,
        image=image(cluster, login.machine, login.image),
        user_data=user_data(cluster.cloud),
        min=login.min,
        max=login.max,
        public=login.public,
        network=network,
        zones=login.zones or (cluster.zone,),
        ssh_from=tuple(map(str, cluster.network.ssh_from)),
        config=config,
        identities=identities,
        root=root_disk(cluster, login.root),
        kms_keys=cluster.iam.kms_keys,
        key_pair=login.key_pair,
        retain=not cluster.throw_away,
        tags=tags,
    )
