from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.catalog import Machine
from hpc_components.gcp.fleet.model import GcpQueue
from hpc_components.gcp.network_cards.card_kinds import CardKind, card_kinds
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.network import ExistingSubnet
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rules._fleet import queue_machines
from hpc_components.wording import plural

CARDS: Path = ("network", "existing", "cards")


@dataclass(frozen=True, kw_only=True)
class Carded:
    """A queue's machine type with additional network cards, in one of the queue's zones."""

    queue: GcpQueue
    path: Path
    machine: Machine
    zone: str
    kinds: tuple[CardKind, ...]

    @property
    def networks(self) -> tuple[int, ...]:
        """Number of cards in each network that the machine needs."""
        counts: list[int] = []
        for kind in self.kinds:
            counts += [kind.count // kind.networks] * kind.networks
        return tuple(counts)

    @property
    def wanted(self) -> str:
        """Description of the networks that the machine needs."""
        parts = []
        for kind in self.kinds:
            if kind.profile:
                parts.append(
                    f"one network that has the profile {self.zone}-{kind.profile} and {plural(kind.count, 'subnet')}"
                )
            else:
                each = "" if kind.count == 1 else " each"
                parts.append(f"{plural(kind.count, 'plain network')} with a subnet{each}")
        return " and ".join(parts)


def carded(cluster: GcpClusterSpec) -> Iterator[Carded]:
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue) if fabric_on(queue) else ():
            kinds = card_kinds(machine)
            for zone in dict.fromkeys(cluster.queue_zones(queue)) if kinds else ():
                yield Carded(queue=queue, path=path, machine=machine, zone=zone, kinds=kinds)


def ranges(cluster: GcpClusterSpec, zone: str) -> list[tuple[Path, ExistingSubnet, str]]:
    """Return (path, subnet, title) for the existing subnet of each card, in card order."""
    existing = cluster.network.existing
    found: list[tuple[Path, ExistingSubnet, str]] = []
    if existing is None:
        return found
    for region, nodes in existing.private.items():
        if region == cluster.region:
            found.append((("network", "existing", "private", region), nodes, "the nodes' subnet"))
    for number, network in enumerate(existing.cards.get(zone, ())):
        for index, subnet in enumerate(network.subnets):
            path = (*CARDS, zone, number, "subnets", index)
            found.append((path, subnet, f"cards.{zone}[{number}].subnets[{index}]"))
    return found
