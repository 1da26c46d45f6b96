"""Rules on the maximum spot price, for clouds where it can be set."""

from collections.abc import Iterator

from hpc_components.catalog import price
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import purchase_kind
from hpc_components.spec.queues import SpotPricedQueue
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, queue_machines

MIN_SPOT_PRICE_SHARE = 0.1
"""Lowest possible spot price as a share of the on-demand price, because clouds promise discounts of up to 90 %.

Source: EC2 user guide, "Spot Instances".
"""


@rule("HPC-CAP-011", Level.ERROR)
def price_of_spot(cluster: ClusterSpec) -> Iterator[Problem]:
    """`max_spot_price` must be set only on spot queues.

    Other purchases have no price limit, so it has no effect on them. Source: on AWS, EC2 API reference,
    LaunchTemplateSpotMarketOptionsRequest, MaxPrice.
    """
    for index, queue in _priced(cluster):
        if queue.max_spot_price is not None and purchase_kind(queue) != "spot":
            yield Problem(
                path=("queues", index, "max_spot_price"),
                value=queue.max_spot_price,
                reason=f"queue {queue.name} is bought {purchase_kind(queue)}, at the list price",
                remedy="remove max_spot_price" + (", or add purchase: spot" if _sold_as_spot(index, queue) else ""),
            )


@rule("HPC-CAP-012", Level.ERROR)
def price_is_one(cluster: ClusterSpec) -> Iterator[Problem]:
    """`max_spot_price` must be more than zero.

    Source: on AWS, EC2 API, SpotMarketOptions.
    """
    for index, queue in _priced(cluster):
        if queue.max_spot_price is not None and not queue.max_spot_price > 0:
            yield Problem(
                path=("queues", index, "max_spot_price"),
                value=queue.max_spot_price,
                reason=f"no machine is sold for {queue.max_spot_price:g} USD an hour",
                remedy="remove it: the default is the on-demand price, and you pay the current spot price",
            )


@rule("HPC-CAP-013", Level.WARNING)
def price_below_list(cluster: ClusterSpec) -> Iterator[Problem]:
    """`max_spot_price` should not exceed the on-demand price.

    Spot machines never cost more than that, so a higher number is probably in the wrong unit. Checked only if the
    catalogue has the region's list price. Source: on AWS, EC2 user guide, "Spot Instance pricing".
    """
    for index, queue in _priced(cluster):
        machine = facts(cluster, queue.machine)
        listed = price(machine, cluster.region, "on_demand") if machine else None
        if queue.max_spot_price is not None and listed and listed.exact_region and queue.max_spot_price > listed.usd:
            yield Problem(
                path=("queues", index, "max_spot_price"),
                value=queue.max_spot_price,
                reason=f"{queue.machine} costs {listed.usd:g} USD an hour on demand (list price of {listed.as_of})",
                remedy=f"use at most {listed.usd:g}, or remove it",
            )


@rule("HPC-CAP-016", Level.WARNING)
def price_of_a_machine(cluster: ClusterSpec) -> Iterator[Problem]:
    """`max_spot_price` should be a whole node's price: at least a tenth of its cheapest machine's on-demand price.

    Spot machines are sold at discounts of up to 90 %. A lower number is probably the price of one vCPU or of another
    machine: no node would ever be launched, and jobs would wait without an error. If the catalogue has only another
    region's price, half of it is used. Source: on AWS, EC2 user guide, "Spot Instances".
    """
    for index, queue in _priced(cluster):
        listed = [
            found.usd if found.exact_region else found.usd / 2
            for _, machine in queue_machines(index, queue)
            if (found := price(machine, cluster.region, "on_demand"))
        ]
        if queue.max_spot_price is None or len(listed) < len(queue.machines):
            continue
        least = min(listed) * MIN_SPOT_PRICE_SHARE
        if 0 < queue.max_spot_price < least:
            yield Problem(
                path=("queues", index, "max_spot_price"),
                value=queue.max_spot_price,
                reason=f"a node costs {min(listed):.4g} USD an hour on demand, and spot is at most 90 % off: it is "
                f"never sold for {queue.max_spot_price:g}",
                remedy="remove it: you pay the current spot price, at most that on demand; or name a price for the "
                f"whole node, above {least:.2g}",
            )


def _sold_as_spot(index: int, queue: SpotPricedQueue) -> bool:
    """Return whether all of a queue's machines are available as spot machines."""
    found = [machine for _, machine in queue_machines(index, queue)]
    return bool(found) and all(machine.spot for machine in found)


def _priced(cluster: ClusterSpec) -> Iterator[tuple[int, SpotPricedQueue]]:
    for index, queue in enumerate(cluster.queues):
        if isinstance(queue, SpotPricedQueue):
            yield index, queue
