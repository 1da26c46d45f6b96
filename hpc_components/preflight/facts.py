"""Facts and named things that are the same on every cloud."""

from collections.abc import Iterator

from hpc_components.preflight.account import Fact, Named
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level
from hpc_components.spec.queues import Reserved


def architecture(arch: str) -> Fact:
    return Fact(
        name="architecture",
        wanted=arch,
        fault=AccountFault.IMAGE_FIT,
        remedy=f"use an image for {arch}, or a machine type that suits the image",
    )


def in_region(cluster: ClusterSpec, fault: AccountFault, remedy: str) -> Fact:
    return Fact(name="region", wanted=cluster.region, fault=fault, remedy=remedy)


def network_fit(name: str, wanted: str, remedy: str) -> Fact:
    return Fact(name=name, wanted=wanted, fault=AccountFault.NETWORK_FIT, remedy=remedy)


def bucket_of(cluster: ClusterSpec, url: str, scheme: str) -> tuple[str, tuple[Fact, ...]] | None:
    """Return the name of the bucket in an address and what must be true of it, or None for another scheme."""
    start, _, rest = url.partition("://")
    if start != scheme:
        return None
    fact = in_region(cluster, AccountFault.BUCKET_PLACE, "use a bucket in the cluster's region")
    return rest.partition("/")[0], (fact,)


def reservations(cluster: ClusterSpec, machine: str) -> Iterator[Named]:
    """Yield the reservations of queues. `machine` stands for a reserved machine type in remedies."""
    for index, queue in enumerate(cluster.queues):
        if not isinstance(queue.purchase, Reserved):
            continue
        yield Named(
            path=("queues", index, "purchase", queue.purchase.kind),
            kind="reservation",
            id=queue.purchase.id,
            fault=AccountFault.RESERVATION,
            facts=(
                _reserved("machine type", queue.machines, f"set machine to {machine}"),
                _reserved("zone", cluster.queue_zones(queue), "set zones to the reservation's zone"),
                _reserved("number of machines", queue.max, "reduce max, or enlarge the reservation", Level.WARNING),
            ),
        )


def _reserved(name: str, wanted: object, remedy: str, level: Level | None = None) -> Fact:
    return Fact(name=name, wanted=wanted, fault=AccountFault.RESERVATION_FIT, remedy=remedy, level=level)
