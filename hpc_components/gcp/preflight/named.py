"""What a description on Google Cloud names, and what must be true of it."""

from collections.abc import Iterator

from hpc_components.gcp.images.args import image
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.network.model import GcpExistingNetwork
from hpc_components.gcp.rules._disks import disks
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.preflight.account import Named
from hpc_components.preflight.facts import architecture, bucket_of, network_fit, reservations
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Path
from hpc_components.spec.identities import node_places
from hpc_components.spec.node_images import image_place, image_users, machine_of_base
from hpc_components.spec.rules._values import password_secrets


def named(cluster: GcpClusterSpec) -> Iterator[Named]:
    yield from _images(cluster)
    if existing := cluster.network.existing:
        yield from _network(cluster, existing)
    yield from _buckets(cluster)
    yield from reservations(cluster, "the reserved type")
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
            facts=(architecture(machine.arch),),
        )


def _network(cluster: GcpClusterSpec, existing: GcpExistingNetwork) -> Iterator[Named]:
    at: Path = ("network", "existing")
    yield Named(path=(*at, "network"), kind="network", id=existing.network, fault=AccountFault.NETWORK)
    for where, subnet in existing.subnets():
        facts = (
            network_fit("range", str(subnet.cidr), "write the subnet's own primary range under cidr"),
            network_fit("network", existing.network, "use a subnet of this network"),
        )
        yield Named(path=(*at, *where, "id"), kind="subnet", id=subnet.id, fault=AccountFault.NETWORK, facts=facts)


def _buckets(cluster: GcpClusterSpec) -> Iterator[Named]:
    found: list[tuple[Path, str | None]] = [(("slurm", "package_source"), cluster.slurm.package_source)]
    for name, system in cluster.storage.items():
        if isinstance(system, Lustre) and system.existing is None:
            found += [(("storage", name, key), getattr(system, key)) for key in ("import_from", "export_to")]
    for path, url in found:
        if there := bucket_of(cluster, url or "", "gs"):
            bucket, facts = there
            yield Named(path=path, kind="bucket", id=bucket, fault=AccountFault.BUCKET, facts=facts)


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
