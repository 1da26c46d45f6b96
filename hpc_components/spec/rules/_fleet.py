from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hpc_components.catalog import Machine, is_previous_generation, machine, machines, regions
from hpc_components.cloud import Words, cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.queues import Queue


@dataclass(frozen=True, kw_only=True)
class Use:
    """A machine type named in a description."""

    path: Path
    name: str
    zones: tuple[str, ...]
    """Zones in which nodes of this machine type may be launched."""
    facts: Machine | None
    """Catalogue facts about the machine type, or None if the catalogue doesn't list it."""
    queue: int | None = None
    """Index of the queue that uses the machine type, or None for the head node and the login nodes."""


def cloud_of(cluster: ClusterSpec) -> str:
    return cloud_named(cluster.cloud).title


def words_of(cluster: ClusterSpec) -> Words:
    return cloud_named(cluster.cloud).words


def uses(cluster: ClusterSpec) -> Iterator[Use]:
    for path, name, zones, queue in _named(cluster):
        yield Use(path=path, name=name, zones=zones, queue=queue, facts=facts(cluster, name))


def _named(cluster: ClusterSpec) -> Iterator[tuple[Path, str, tuple[str, ...], int | None]]:
    yield ("head_node", "machine"), cluster.head_node.machine, (cluster.zone,), None
    if login := cluster.login_nodes:
        yield ("login_nodes", "machine"), login.machine, login.zones or (cluster.zone,), None
    for index, queue in enumerate(cluster.queues):
        for path, name in mentions(index, queue):
            yield path, name, cluster.queue_zones(queue), index


def mentions(index: int, queue: Queue) -> Iterator[tuple[Path, str]]:
    yield ("queues", index, "machine"), queue.machine
    for number, name in enumerate(queue.fallback):
        yield ("queues", index, "fallback", number), name


def queue_machines(index: int, queue: Queue) -> Iterator[tuple[Path, Machine]]:
    for path, name in mentions(index, queue):
        if found := machine(queue.cloud, name):
            yield path, found


def facts(cluster: ClusterSpec, name: str) -> Machine | None:
    return machine(cluster.cloud, name)


def compute_arch(cluster: ClusterSpec) -> str | None:
    """Return the CPU architecture that all nodes must have: that of the first queue's machine type. Return None if it
    is unknown.
    """
    found = facts(cluster, cluster.queues[0].machine) if cluster.queues else None
    return found.arch if found else None


def in_region(cluster: ClusterSpec) -> tuple[Machine, ...]:
    known = machines(cluster.cloud)
    return (
        tuple(m for m in known if cluster.region in m.offered) if cluster.region in regions(cluster.cloud) else known
    )


def nearest(wanted: Machine, found: Iterable[Machine]) -> list[str]:
    """Return the names of the four machine types in `found` that are most similar to `wanted`. Accelerators,
    generation, cores, memory and family are compared.
    """

    def distance(other: Machine) -> tuple[float, ...]:
        old = is_previous_generation(other.cloud, other.name)
        gpus = abs(other.gpu_count - wanted.gpu_count) + ((other.accelerator is None) != (wanted.accelerator is None))
        memory = abs(other.memory_gib - wanted.memory_gib)
        return (gpus, old, other.bare_metal, abs(other.cores - wanted.cores), memory, other.name[0] != wanted.name[0])

    return [machine.name for machine in sorted(found, key=distance) if machine.name != wanted.name][:4]
