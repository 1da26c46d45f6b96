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
    for index, queue in enumerate(cluster.queues):
        if isinstance(queue.purchase, Reserved):
            yield ("queues", index, "purchase", queue.purchase.kind), queue, queue.purchase


@rule("HPC-CAP-004", Level.ERROR)
def reservation_ids(cluster: ClusterSpec) -> Iterator[Problem]:
    """Reservation ids must be in the cloud's format.

    The cloud checks an id only when it launches a job's first node. With an invalid id, no node starts. Source: on
    AWS, EC2 user guide, "Create a launch template": parameters are not fully validated.
    """
    for path, queue, bought in _bought(cluster):
        if mistaken := catalog_of(cluster.cloud).id_mistake(purchase_kind(queue), bought.id, cluster.region):
            yield Problem(path=path, value=bought.id, reason=mistaken.reason, remedy=mistaken.remedy)


@rule("HPC-CAP-005", Level.ERROR)
def reservation_of_one_type(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue with a reservation must not have fallback machines.

    A reservation is for one machine type, and the cloud refuses to launch any other type into it. Source: on AWS, EC2
    API, RunInstances.
    """
    for path, queue, id in reserved(cluster, one_pool=True):
        if queue.fallback:
            yield Problem(
                path=(*path[:2], "fallback"),
                value=", ".join(queue.fallback),
                reason=f"reservation {id} is for one machine type, not for {any_of(queue.fallback)}",
                remedy="remove fallback, or move these types to a separate queue",
            )


@rule("HPC-CAP-006", Level.WARNING)
def reservation_once(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each reservation should be used by only one queue.

    Queues that share a reservation take machines from each other. A reservation has one machine type and one zone, so
    sharing is an error if the queues differ in either: one of them would never get a node. Source: ParallelCluster
    3.16, CapacityReservationSizeValidator; on AWS, EC2 user guide, "Capacity Reservations".
    """
    first: dict[tuple[str, str], tuple[Path, Queue]] = {}
    for path, queue, id in reserved(cluster, one_pool=True):
        at, other = first.setdefault((id, purchase_kind(queue)), (path, queue))
        zones = set(cluster.queue_zones(queue))
        if other.machine != queue.machine:
            yield Problem(
                path=path,
                value=id,
                reason=f"reservation {id} is for one machine type, but queue {other.name} uses {other.machine} and "
                f"this queue uses {queue.machine}",
                remedy=f"specify a reservation for {queue.machine}: {words_of(cluster).reservations} lists your "
                "reservations",
                level=Level.ERROR,
                about={"reservation": id},
                places=(at, path),
            )
        elif zones.isdisjoint(cluster.queue_zones(other)):
            yield Problem(
                path=path,
                value=id,
                reason=f"reservation {id} is in one zone, but queue {other.name} is in "
                f"{any_of(cluster.queue_zones(other))} and this queue is in {any_of(sorted(zones))}",
                remedy="put both queues into the reservation's zone, or specify another reservation",
                level=Level.ERROR,
                about={"reservation": id},
                places=(at, path),
            )
        elif other is not queue:
            yield Problem(
                path=path,
                value=id,
                reason=f"queue {other.name} also uses reservation {id}, which would need {other.max + queue.max} "
                "machines for both queues",
                remedy="use a single queue, or make sure that the reservation is large enough",
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
                reason=f"reservation {id} is in one zone, but the queue uses {len(set(queue.zones))} zones",
                remedy=f"keep only the reservation's zone, e.g. zones: [{queue.zones[0]}]",
            )
