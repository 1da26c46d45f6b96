"""What rules need to know of a cluster's machines: their facts, and what follows from a queue's defaults."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog import Machine, machine, machines, regions
from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.queue_defaults import efa_on, placement, purchase_kind, reservation_id
from hpc_components.spec.queues import Queue

__all__ = [
    "Use", "any_of", "close_word", "compute_arch", "efa_on", "facts", "in_region", "mentions", "nearest", "placement",
    "purchase_kind", "queue_machines", "reservation_id", "uses",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Use:
    """A machine type that stands somewhere in a description."""

    path: Path
    name: str
    zones: tuple[str, ...]
    """Where nodes of it may be."""
    queue: int | None = None
    """Index of its queue; None for the head node and the login nodes."""

    @property
    def facts(self) -> Machine | None:
        """What the catalogue holds of it."""
        return facts(self.name)


def facts(name: str) -> Machine | None:
    """What the catalogue holds of an EC2 type; None for one that it does not hold."""
    return machine("aws", name)


def uses(cluster: AwsClusterSpec) -> Iterator[Use]:
    """Every machine type of the description, fallbacks included."""
    yield Use(path=("head_node", "machine"), name=cluster.head_node.machine, zones=(cluster.zone,))
    if login := cluster.login_nodes:
        yield Use(path=("login_nodes", "machine"), name=login.machine, zones=login.zones or (cluster.zone,))
    for index, queue in enumerate(cluster.queues):
        for path, name in mentions(index, queue):
            yield Use(path=path, name=name, zones=cluster.queue_zones(queue), queue=index)


def mentions(index: int, queue: Queue) -> Iterator[tuple[Path, str]]:
    """Where a queue names machine types, and which."""
    yield ("queues", index, "machine"), queue.machine
    for number, name in enumerate(queue.fallback):
        yield ("queues", index, "fallback", number), name


def queue_machines(index: int, queue: Queue) -> Iterator[tuple[Path, Machine]]:
    """The machines of a queue of which we hold facts."""
    for path, name in mentions(index, queue):
        if found := facts(name):
            yield path, found


def compute_arch(cluster: AwsClusterSpec) -> str | None:
    """The architecture of the first queue's machine, by which the others are judged."""
    found = facts(cluster.queues[0].machine) if cluster.queues else None
    return found.arch if found else None


def in_region(cluster: AwsClusterSpec) -> tuple[Machine, ...]:
    """The machines that the cluster's region sells; all, if the region is not known."""
    known = machines("aws")
    return tuple(m for m in known if cluster.region in m.offered) if cluster.region in regions() else known


def nearest(wanted: Machine, found: Iterable[Machine]) -> list[str]:
    """Names of the four that are most like `wanted` among those found: accelerators, cores, memory, family."""

    def distance(other: Machine) -> tuple[float, ...]:
        gpus = abs(other.gpu_count - wanted.gpu_count) + ((other.accelerator is None) != (wanted.accelerator is None))
        memory = abs(other.memory_gib - wanted.memory_gib)
        return (gpus, other.bare_metal, abs(other.cores - wanted.cores), memory, other.name[0] != wanted.name[0])

    return [machine.name for machine in sorted(found, key=distance) if machine.name != wanted.name][:4]


def any_of(names: Iterable[str], most: int = 4) -> str:
    """A few names for a remedy: `a, b or c`; the rest is counted."""
    names = list(dict.fromkeys(names))
    shown, rest = names[:most], len(names) - most
    if rest > 0:
        return f"{', '.join(shown)} ({rest} more)"
    return " or ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


@cache
def close_word(word: str, known: tuple[str, ...]) -> str | None:
    """The known word that a misspelt one may have meant."""
    from difflib import get_close_matches  # only needed for a message

    near = get_close_matches(word.lower(), known, n=1, cutoff=0.7)
    return near[0] if near else None
