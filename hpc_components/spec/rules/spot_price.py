from collections.abc import Iterator

from hpc_components.catalog import price
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import purchase_kind
from hpc_components.spec.queues import SpotPricedQueue
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, queue_machines

MIN_SPOT_PRICE_SHARE = 0.1
"""Lowest plausible spot price, as a share of the on-demand price. Clouds advertise discounts of up to 90 %.

Source: EC2 user guide, "Spot Instances".
"""


@rule("HPC-CAP-011", Level.ERROR)
def price_of_spot(cluster: ClusterSpec) -> Iterator[Problem]:
    """`max_spot_price` must be set only on spot queues.

    Other purchase options have no price limit. Source: on AWS, EC2 API reference,
    LaunchTemplateSpotMarketOptionsRequest, MaxPrice.
    """
    for index, queue in _priced(cluster):
        if queue.max_spot_price is not None and purchase_kind(queue) != "spot":
            yield Problem(
                path=("queues", index, "max_spot_price"),
                value=queue.max_spot_price,
                reason=f"the purchase option of queue {queue.name} is {purchase_kind(queue)}, which has no price "
                "limit",
                remedy="remove max_spot_price" + (", or add purchase: spot" if _sold_as_spot(index, queue) else ""),
            )


@rule("HPC-CAP-012", Level.ERROR)
def price_is_one(cluster: ClusterSpec) -> Iterator[Problem]:
    """`max_spot_price` must be greater than zero.

    Source: on AWS, EC2 API, SpotMarketOptions.
    """
    for index, queue in _priced(cluster):
        if queue.max_spot_price is not None and not queue.max_spot_price > 0:
            yield Problem(
                path=("queues", index, "max_spot_price"),
                value=queue.max_spot_price,
                reason=f"no machine is sold for {queue.max_spot_price:g} USD an hour",
                remedy="remove max_spot_price: the default limit is the on-demand price, and you pay only the "
                "current spot price",
            )


@rule("HPC-CAP-013", Level.WARNING)
def price_below_list(cluster: ClusterSpec) -> Iterator[Problem]:
    """`max_spot_price` should not exceed the on-demand price.

    Spot machines never cost more than on-demand machines, so a higher value is probably in the wrong unit. This rule
    applies only if the catalogue has the region's list price. Source: on AWS, EC2 user guide, "Spot Instance
    pricing".
    """
    for index, queue in _priced(cluster):
        machine = facts(cluster, queue.machine)
        listed = price(machine, cluster.region, "on_demand") if machine else None
        if queue.max_spot_price is not None and listed and listed.exact_region and queue.max_spot_price > listed.usd:
            yield Problem(
                path=("queues", index, "max_spot_price"),
                value=queue.max_spot_price,
                reason=f"{queue.machine} costs {listed.usd:g} USD an hour on demand (list price of {listed.as_of})",
                remedy=f"use at most {listed.usd:g}, or remove max_spot_price",
            )


@rule("HPC-CAP-016", Level.WARNING)
def price_of_a_machine(cluster: ClusterSpec) -> Iterator[Problem]:
    """`max_spot_price` should be at least a tenth of the on-demand price of the queue's cheapest machine.

    Spot machines are sold at discounts of up to 90 %, so a lower value is probably the price of one vCPU or of
    another machine. With such a low limit, no node would ever be launched, and jobs would wait without an error. If
    the catalogue has a price only for another region, this rule uses half of that price. Source: on AWS, EC2 user
    guide, "Spot Instances".
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
                reason=f"a node costs {min(listed):.4g} USD an hour on demand, and spot discounts are at most 90 %: "
                f"no node is ever sold for {queue.max_spot_price:g}",
                remedy="remove max_spot_price to pay the current spot price (never more than the on-demand price), "
                f"or set a price above {least:.2g} for the whole node",
            )


def _sold_as_spot(index: int, queue: SpotPricedQueue) -> bool:
    found = [machine for _, machine in queue_machines(index, queue)]
    return bool(found) and all(machine.spot for machine in found)


def _priced(cluster: ClusterSpec) -> Iterator[tuple[int, SpotPricedQueue]]:
    for index, queue in enumerate(cluster.queues):
        if isinstance(queue, SpotPricedQueue):
            yield index, queue
