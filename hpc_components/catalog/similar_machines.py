import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hpc_components.catalog.browse import Filter, Offer, find_offers, offer_of
from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Accelerator, Machine
from hpc_components.catalog.machines import all_machines, is_previous_generation
from hpc_components.cloud import CLOUDS

_MAX_RESULTS = 5


@dataclass(frozen=True)
class Likeness:
    offer: Offer
    distance: float
    """Dissimilarity: 0 if all figures are equal. A figure that is double or half the wanted figure adds at most about
    0.7."""
    why: tuple[str, ...]
    """Comparisons with the wanted machine's figures, e.g. `120 cores for 96`."""

    def to_dict(self) -> dict[str, Any]:
        return {**self.offer.to_dict(), "distance": round(self.distance, 3), "why": list(self.why)}


def machine_called(name: str) -> Machine | None:
    """Return the machine type with this name on any cloud, or None if the name is unknown. Case and the cloud's
    prefix are ignored.
    """
    for cloud in CLOUDS:
        short = catalog_of(cloud).without_prefix
        wanted = short(name.lower())
        found = next((held for held in all_machines(cloud) if short(held.name.lower()) == wanted), None)
        if found:
            return found
    return None


def find_like(wanted: Machine, among: Filter) -> list[Likeness]:
    """Return the machines accepted by `among` that are most similar to `wanted`, closest first, without `wanted`
    itself.

    - All results have the same architecture as `wanted`, and have accelerators if and only if `wanted` does.
    - Machines with accelerators are compared mainly by the model, memory and number of their accelerators.
    - If `wanted` has no accelerators, the results have a fabric if and only if `wanted` has one, unless no such
      machine exists.
    - Memory and price, both per core, weigh twice as much as the number of cores, because a job can use more or fewer
      machines.
    """
    ours = offer_of(wanted)
    found = [
        offer
        for offer in find_offers(among)
        if offer.machine is not wanted
        and offer.machine.arch == wanted.arch
        and (offer.machine.accelerator is None) == (wanted.accelerator is None)
    ]
    alike = [offer for offer in found if wanted.accelerator or offer.machine.has_fabric == wanted.has_fabric]
    results = [Likeness(offer, sum(_distances(ours, offer)), tuple(_why(ours, offer))) for offer in alike or found]
    return sorted(results, key=lambda each: (each.distance, each.offer.machine.name))[:_MAX_RESULTS]


def _distances(ours: Offer, theirs: Offer) -> Iterator[float]:
    one, other = ours.machine, theirs.machine
    weight = 1.0
    if one.accelerator and other.accelerator:
        weight = 0.2
        yield 0 if one.accelerator.model == other.accelerator.model else 1
        yield _ratio(one.accelerator.memory_gib, other.accelerator.memory_gib)
        yield _ratio(one.accelerator.count, other.accelerator.count)
    yield weight * 0.5 * _ratio(one.cores, other.cores)
    yield weight * _ratio(one.memory_gib / one.cores, other.memory_gib / other.cores)
    if one.fabric and other.fabric:
        yield weight * 0.5 * _ratio(one.fabric.gbps, other.fabric.gbps)
    elif one.fabric or other.fabric:
        yield 0.5
    if ours.per_core and theirs.per_core:
        yield weight * max(0.0, math.log(theirs.per_core / ours.per_core))
    yield 0.5 * is_previous_generation(other.cloud, other.name)


def _ratio(one: float, other: float) -> float:
    return abs(math.log(other / one)) if one > 0 and other > 0 else float(one != other)


def _why(ours: Offer, theirs: Offer) -> Iterator[str]:
    one, other = ours.machine, theirs.machine
    if one.accelerator and other.accelerator:
        yield _both(_gpus(other.accelerator), _gpus(one.accelerator))
    yield _both(f"{other.cores}", f"{one.cores}", " cores")
    yield _both(f"{other.memory_gib / other.cores:.3g}", f"{one.memory_gib / one.cores:.3g}", " GiB per core")
    if one.fabric or other.fabric:
        yield _both(_fabric(other), _fabric(one))
    if ours.per_core and theirs.per_core:
        yield _both(f"${theirs.per_core:.4f}", f"${ours.per_core:.4f}", " per core-hour")
    if is_previous_generation(other.cloud, other.name):
        yield "previous generation"


def _both(theirs: str, ours: str, unit: str = "") -> str:
    return f"{theirs}{unit} (the same)" if theirs == ours else f"{theirs}{unit} for {ours}"


def _gpus(accelerator: Accelerator) -> str:
    return f"{accelerator.count} x {accelerator.model}"


def _fabric(machine: Machine) -> str:
    return f"{machine.fabric.gbps:g} Gbit/s {machine.fabric.name}" if machine.fabric else "no fabric"
