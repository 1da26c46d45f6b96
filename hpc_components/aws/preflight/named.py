"""What a description on AWS names, and what must be true of it."""

from collections.abc import Iterator
from functools import partial

from hpc_components.aws.disks.model import disks
from hpc_components.aws.images.public_images import public_images
from hpc_components.aws.lustre.model import Lustre
from hpc_components.aws.lustre_links.model import bucket_path, links_of
from hpc_components.aws.network.model import AwsExistingNetwork
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.preflight.account import Fact, Named
from hpc_components.preflight.facts import architecture, bucket_of, network_fit, reservations
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.identities import node_places
from hpc_components.spec.node_images import image_place, images
from hpc_components.spec.rules._values import password_secrets
from hpc_components.spec.rules.address_count import address_needs

_thing = partial(Named, fault=AccountFault.NAMED)


def named(cluster: AwsClusterSpec) -> Iterator[Named]:
    yield from _images(cluster)
    if existing := cluster.network.existing:
        yield from _network(cluster, existing)
    yield from _file_systems(cluster)
    yield from _buckets(cluster)
    yield from reservations(cluster, "the reserved type")
    yield from _nodes(cluster)
    yield from _keys(cluster)
    yield from _secrets(cluster)


def _images(cluster: AwsClusterSpec) -> Iterator[Named]:
    for path, _, id, machine in images(cluster):
        if id is not None and machine is not None:
            facts = (architecture(machine.arch),)
            yield Named(path=image_place(cluster, path), kind="image", id=id, fault=AccountFault.IMAGE, facts=facts)
    for path, image in public_images(cluster):
        yield Named(
            path=(*path, "machine"),
            kind="public image",
            id=image.parameter,
            fault=AccountFault.IMAGE,
            facts=(architecture(image.arch),),
        )


def _network(cluster: AwsClusterSpec, existing: AwsExistingNetwork) -> Iterator[Named]:
    at: Path = ("network", "existing")
    yield Named(path=(*at, "vpc"), kind="network", id=existing.vpc, fault=AccountFault.NETWORK)
    for where, subnet in existing.subnets():
        kind, zone = where
        facts = [
            network_fit("network", existing.vpc, "use a subnet of this network"),
            network_fit("range", str(subnet.cidr), "write the subnet's own range under cidr"),
            network_fit("zone", str(zone), "move the subnet to the key of its own zone, or use another subnet"),
        ]
        if kind == "private":
            facts.append(_free_addresses(cluster, str(zone)))
        yield Named(
            path=(*at, *where, "id"), kind="subnet", id=subnet.id, fault=AccountFault.NETWORK, facts=tuple(facts)
        )
    for role, ids in existing.security_groups or ():
        for index, id in enumerate(ids):
            fit = network_fit("network", existing.vpc, "use a security group of this network")
            path = (*at, "security_groups", role, index)
            yield Named(path=path, kind="security group", id=id, fault=AccountFault.NETWORK, facts=(fit,))


def _free_addresses(cluster: AwsClusterSpec, zone: str) -> Fact:
    """Return the minimum for everything that can be in this zone only."""
    least = sum(need.addresses for need in address_needs(cluster) if need.places == {zone})
    return Fact(
        name="number of free addresses",
        wanted=least,
        fault=AccountFault.ADDRESSES,
        remedy="use a larger subnet, or reduce max of the queues in this zone",
    )


def _file_systems(cluster: AwsClusterSpec) -> Iterator[Named]:
    for name, system in cluster.storage.items():
        if not isinstance(system, Lustre) or system.existing is None:
            continue
        facts = [_store("type", "LUSTRE"), _store("mount name", system.existing.mount_name)]
        facts.append(_store("host name", system.existing.dns_name))
        if cluster.network.existing:
            facts.append(_store("network", cluster.network.existing.vpc))
        path = ("storage", name, "existing", "id")
        id = system.existing.id
        yield Named(path=path, kind="file system", id=id, fault=AccountFault.FILE_SYSTEM, facts=tuple(facts))


def _store(name: str, wanted: str) -> Fact:
    remedy = f"correct the description or the id: `aws fsx describe-file-systems` shows the {name}"
    level = Level.WARNING if name == "network" else None  # peered networks reach each other's file systems
    return Fact(name=name, wanted=wanted, fault=AccountFault.FILE_SYSTEM, remedy=remedy, level=level)


def _buckets(cluster: AwsClusterSpec) -> Iterator[Named]:
    found: list[tuple[Path, str]] = []
    for name, system in cluster.storage.items():
        if isinstance(system, Lustre) and system.existing is None:
            links = links_of(system, ("storage", name))
            found += [(bucket_path(path), link.bucket) for path, link in links]
    if source := cluster.slurm.package_source:
        found.append((("slurm", "package_source"), source))
    for path, url in found:
        if there := bucket_of(cluster, url, "s3"):
            bucket, facts = there
            yield Named(path=path, kind="bucket", id=bucket, fault=AccountFault.BUCKET, facts=facts)


def _nodes(cluster: AwsClusterSpec) -> Iterator[Named]:
    for path, node in node_places(cluster):
        for key, kind in (("key_pair", "key pair"), ("instance_profile", "instance profile")):
            if id := getattr(node, key, None):
                yield _thing(path=(*path, key), kind=kind, id=id)


def _keys(cluster: AwsClusterSpec) -> Iterator[Named]:
    for use in disks(cluster):
        if use.disk.kms_key is not None:
            yield _thing(path=(*use.path, "kms_key"), kind="encryption key", id=use.disk.kms_key)
    for name, system in cluster.storage.items():
        if system.kms_key is not None and system.mounted is None:
            yield _thing(path=("storage", name, "kms_key"), kind="encryption key", id=system.kms_key)
    for index, id in enumerate(cluster.iam.kms_keys):
        yield _thing(path=("iam", "kms_keys", index), kind="encryption key", id=id)
    if boundary := cluster.iam.permissions_boundary:
        path = ("iam", "permissions_boundary")
        yield _thing(path=path, kind="permissions boundary", id=boundary)


def _secrets(cluster: AwsClusterSpec) -> Iterator[Named]:
    for path, id in password_secrets(cluster):
        yield _thing(path=path, kind="secret", id=id)
