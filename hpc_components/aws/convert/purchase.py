from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger, made
from hpc_components.spec.findings import Path, dotted

_WORDS = {"ONDEMAND": "on_demand", "SPOT": "spot", "CAPACITY_BLOCK": "capacity_block"}
"""Maps capacity types to purchase options. Source: ParallelCluster 3.16, CapacityType."""


def purchase_of(queue: Entry, reservation: Entry | None, ledger: Ledger, place: Path) -> dict[str, Any]:
    """Return a queue's `purchase`, or {} for on-demand machines, which are the default."""
    entry = queue.get("CapacityType")
    word = _WORDS.get(str(entry.value).upper()) if entry is not None else "on_demand"
    where = f"{dotted(place)}.purchase"
    if entry is not None and word is None:
        remedy = f"use one of {', '.join(_WORDS)}, and convert the file again"
        ledger.decide(entry, f"{entry.value} is not a ParallelCluster capacity type", remedy, place)
    elif entry is not None and word == "capacity_block" and reservation is None:
        reason = "the file doesn't specify the id of the capacity block"
        ledger.decide(entry, reason, "specify purchase: {capacity_block: cr-...}", place)
    elif entry is not None:
        ledger.taken(entry, made(where, word))
    if reservation is None:
        return {"purchase": "spot"} if word == "spot" else {}
    if word == "spot":
        ledger.dropped(reservation, "spot machines can't be reserved")
        return {"purchase": "spot"}
    kind = "capacity_block" if word == "capacity_block" else "reservation"
    ledger.decide(
        reservation, "the file does not specify the zone of the reserved machines",
        "find the zone with `aws ec2 describe-capacity-reservations --capacity-reservation-ids "
f"{reservation.value}`, and make sure that the queue uses it (set zone, or the queue's zones)",
        place, f"{where}: {{{kind}: {reservation.value}}}",
    )  # fmt: skip
    return {"purchase": {kind: str(reservation.value)}}


def price_of(resource: Entry, ledger: Ledger, place: Path) -> dict[str, Any]:
    entry = resource.get("SpotPrice")
    price = ledger.amount(entry, place)
    if entry is None or price is None:
        return {}
    ledger.taken(entry, made(f"{dotted(place)}.max_spot_price", price))
    return {"max_spot_price": price}
