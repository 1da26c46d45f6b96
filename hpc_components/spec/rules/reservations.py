"""Rules on queues with reserved machines."""

from collections.abc import Iterator

from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import purchase_kind
from hpc_components.spec.queues import Queue, Reserved
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import words_of
from hpc_components.wording import any_of


def reserved(cluster: ClusterSpec, *, one_pool: bool = False) -> Iterator[tuple[Path, Queue, str]]:
    """Yield (path of the id, queue, id) for each reservation. With `one_pool`, skip reservations that can span
    several machine types or zones."""
    for path, queue, bought in _bought(cluster):
        if bought.id and (bought.one_pool or not one_pool):
            yield path, queue, bought.id


def _bought(cluster: ClusterSpec) -> Iterator[tuple[Path, Queue, Reserved]]:
    """Yield (path of the id, queue, reservation) for each reservation, including those with an empty id."""
    for index, queue in enumerate(cluster.queues):
        if isinstance(queue.purchase, Reserved):
            yield ("queues", index, "purchase", queue.purchase.kind), queue, queue.purchase


@rule("HPC-CAP-004", Level.ERROR)
def reservation_ids(cluster: ClusterSpec) -> Iterator[Problem]:
    """Reservation ids must have the cloud's form.

    The cloud checks an id only when a job gets its first node; with an invalid one, no node starts. Source: on AWS,
    EC2 user guide, "Create a launch template": parameters are not fully validated.
    """
    for path, queue, bought in _bought(cluster):
        if mistaken := catalog_of(cluster.cloud).id_mistake(purchase_kind(queue), bought.id, cluster.region):
            yield Problem(path=path, value=bought.id, reason=mistaken.reason, remedy=mistaken.remedy)


@rule("HPC-CAP-005", Level.ERROR)
def reservation_of_one_type(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue with a reservation must not have fallback machines.

    A reservation is for one type, and the cloud refuses to launch any other type into it. Source: on AWS, EC2 API,
    RunInstances.
    """
    for path, queue, id in reserved(cluster, one_pool=True):
        if queue.fallback:
            yield Problem(
                path=(*path[:2], "fallback"),
                value=", ".join(queue.fallback),
                reason=f"{id} reserves one machine type; {any_of(queue.fallback)} can't be launched into it",
                remedy="remove fallback, or give these types a queue of their own",
            )


@rule("HPC-CAP-006", Level.WARNING)
def reservation_once(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each reservation should serve only one queue.

    Queues that share a reservation take machines from each other. A reservation has one machine type and one zone, so
    this is an error if the queues differ in either, because one of them would never get a node. Source:
    ParallelCluster 3.16, CapacityReservationSizeValidator; on AWS, EC2 user guide, "Capacity Reservations".
    """
    first: dict[tuple[str, str], tuple[Path, Queue]] = {}
    for path, queue, id in reserved(cluster, one_pool=True):
        at, other = first.setdefault((id, purchase_kind(queue)), (path, queue))
        zones = set(cluster.queue_zones(queue))
        if other.machine != queue.machine:
            yield Problem(
                path=path,
                value=id,
                reason=f"{id} reserves one machine type: {other.machine} of queue {other.name}, or {queue.machine}",
                remedy=f"name the one for {queue.machine}: {words_of(cluster).reservations} lists them",
                level=Level.ERROR,
                about={"reservation": id},
                places=(at, path),
            )
        elif zones.isdisjoint(cluster.queue_zones(other)):
            yield Problem(
                path=path,
                value=id,
                reason=f"{id} is in one zone: that of queue {other.name}, {any_of(cluster.queue_zones(other))}, "
                f"or {any_of(sorted(zones))}",
                remedy="put both queues into the reservation's zone, or name another reservation",
                level=Level.ERROR,
                about={"reservation": id},
                places=(at, path),
            )
        elif other is not queue:
            yield Problem(
                path=path,
                value=id,
                reason=f"queue {other.name} uses {id} too: it must hold {other.max + queue.max} machines for both",
                remedy="use one queue, or make sure that the reservation is large enough",
                about={"reservation": id},
                places=(at, path),
            )


@rule("HPC-CAP-008", Level.ERROR)
def reservation_in_one_zone(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue with a reservation must be in a single zone.

    A reservation is for one zone. Source: on AWS, EC2 user guide, "Capacity Reservations".
    """
    for path, queue, id in reserved(cluster, one_pool=True):
        if len(set(queue.zones)) > 1:
            yield Problem(
                path=(*path[:2], "zones"),
                value=", ".join(queue.zones),
                reason=f"{id} is in one zone, but the queue in {len(set(queue.zones))}",
                remedy=f"keep only the reservation's zone, e.g. zones: [{queue.zones[0]}]",
            )
