"""What a cluster costs before and after a change."""

from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.review.document import CostChange, QueueCost

__all__ = ["cost_change"]

_Json = Mapping[str, Any]


def cost_change(before: _Json | None, after: _Json | None) -> CostChange:
    """The totals of both sides (what `cost_of` says of each; None if it is not there), and the queues that differ."""
    dates = [line["as_of"] for line in (after or before or {}).get("lines", ()) if line["as_of"]]
    return CostChange(
        idle_before=before and before["idle"],
        idle_after=after and after["idle"],
        full_before=before and before["full"],
        full_after=after and after["full"],
        queues=tuple(_queues(before, after)),
        as_of=min(dates, default=""),
    )


def _queues(before: _Json | None, after: _Json | None) -> Iterator[QueueCost]:
    old, new = ({each["queue"]: each for each in side["queues"]} if side else {} for side in (before, after))
    for queue in dict.fromkeys([*new, *old]):
        was, will = old.get(queue, {}), new.get(queue, {})
        if was != will:
            yield QueueCost(
                queue=queue,
                machine_before=was.get("machine"),
                machine_after=will.get("machine"),
                nodes_before=was.get("max"),
                nodes_after=will.get("max"),
                node_hour_before=was.get("node_hour"),
                node_hour_after=will.get("node_hour"),
                core_hour_before=was.get("core_hour"),
                core_hour_after=will.get("core_hour"),
            )
