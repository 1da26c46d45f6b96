"""What a description on Google Cloud names, and what must be true of it."""

from collections.abc import Iterator

from hpc_components.gcp.images.args import image
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.network.model import GcpExistingNetwork
from hpc_components.gcp.rules._disks import disks
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.preflight.account import Fact, Named
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.identities import node_places
from hpc_components.spec.node_images import image_place, image_users, machine_of_base
from hpc_components.spec.queues import Reserved
from hpc_components.spec.rules._values import password_secrets


def named(cluster: GcpClusterSpec) -> Iterator[Named]:
    yield from _images(cluster)
    if existing := cluster.network.existing:
        yield from _network(cluster, existing)
    yield from _buckets(cluster)
    yield from _reservations(cluster)
    for kind, path, id in _others(cluster):
        yield Named(path=path, kind=kind, id=id, fault=AccountFault.NAMED)


def _images(cluster: GcpClusterSpec) -> Iterator[Named]:
    for path, node in image_users(cluster):
        machine = machine_of_base(cluster, node.machine, node.image)
        if machine is None:
            continue
        own = cluster.base_of(node.image)
        yield Named(
            path=image_place(cluster, path) if own else (*path, "machine"),
            kind="image",
            id=image(cluster, node.machine, node.image),
            fault=AccountFault.IMAGE,
            facts=(
                Fact(
                    name="architecture",
                    wanted=machine.arch,
                    fault=AccountFault.IMAGE_FIT,
                    remedy=f"use an image for {machine.arch}, or a machine type that suits the image",
                ),
            ),
        )


def _network(cluster: GcpClusterSpec, existing: GcpExistingNetwork) -> Iterator[Named]:
    at: Path = ("network", "existing")
    yield Named(path=(*at, "network"), kind="network", id=existing.network, fault=AccountFault.NETWORK)
    for where, subnet in existing.subnets():
        facts = (
            _fit("range", str(subnet.cidr), "write the subnet's own primary range under cidr"),
            _fit("network", existing.network, "use a subnet of this network"),
        )
        yield Named(path=(*at, *where, "id"), kind="subnet", id=subnet.id, fault=AccountFault.NETWORK, facts=facts)


def _fit(name: str, wanted: str, remedy: str) -> Fact:
    return Fact(name=name, wanted=wanted, fault=AccountFault.NETWORK_FIT, remedy=remedy)


def _buckets(cluster: GcpClusterSpec) -> Iterator[Named]:
    found: list[tuple[Path, str | None]] = [(("slurm", "package_source"), cluster.slurm.package_source)]
    for name, system in cluster.storage.items():
        if isinstance(system, Lustre) and system.existing is None:
            found += [(("storage", name, key), getattr(system, key)) for key in ("import_from", "export_to")]
    for path, url in found:
        scheme, _, rest = (url or "").partition("://")
        if scheme == "gs":
            region = Fact(
                name="region",
                wanted=cluster.region,
                fault=AccountFault.BUCKET_PLACE,
                remedy="use a bucket in the cluster's region",
            )
            bucket = rest.partition("/")[0]
            yield Named(path=path, kind="bucket", id=bucket, fault=AccountFault.BUCKET, facts=(region,))


def _reservations(cluster: GcpClusterSpec) -> Iterator[Named]:
    for index, queue in enumerate(cluster.queues):
        if not isinstance(queue.purchase, Reserved):
            continue
        facts = (
            _reserved("machine type", queue.machines, "set machine to the reserved type"),
            _reserved("zone", cluster.queue_zones(queue), "set zones to the reservation's zone"),
            _reserved("number of machines", queue.max, "reduce max, or enlarge the reservation", Level.WARNING),
        )
        path = ("queues", index, "purchase", queue.purchase.kind)
        id = queue.purchase.id
        yield Named(path=path, kind="reservation", id=id, fault=AccountFault.RESERVATION, facts=facts)


def _reserved(name: str, wanted: object, remedy: str, level: Level | None = None) -> Fact:
    return Fact(name=name, wanted=wanted, fault=AccountFault.RESERVATION_FIT, remedy=remedy, level=level)


def _others(cluster: GcpClusterSpec) -> Iterator[tuple[str, Path, str]]:
    """Yield (kind, path, id) for everything that only has to exist and be usable."""
    for path, node in node_places(cluster):
        if email := getattr(node, "service_account", None):
            yield "service account", (*path, "service_account"), email
    for use in disks(cluster):
        if use.disk.kms_key is not None:
            yield "encryption key", (*use.path, "kms_key"), use.disk.kms_key
    for name, system in cluster.storage.items():
        if system.kms_key is not None and system.existing is None:
            yield "encryption key", ("storage", name, "kms_key"), system.kms_key
    for path, id in password_secrets(cluster):
        yield "secret", path, id
    if cluster.billing_account is not None:
        yield "billing account", ("billing_account",), cluster.billing_account
