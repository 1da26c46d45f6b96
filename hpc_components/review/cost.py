from collections.abc import Collection, Iterator, Mapping
from typing import Any

from hpc_components.preview.rates import kinds_of_prices
from hpc_components.review.document import CostChange, QueueCost

_Json = Mapping[str, Any]


def cost_change(before: _Json | None, after: _Json | None, remaining: Collection[str] = ()) -> CostChange:
    """Return the totals before and after, and the queues whose cost differs.

    `before` and `after` are results of `cost_of`, or None if the stack does not exist on that side. `remaining`
    contains the URNs of resources that leave the stack but stay in the cloud. They still incur costs, which the newer
    plan does not include.
    """
    dates = [line["as_of"] for line in (after or before or {}).get("lines", ()) if line["as_of"]]
    lines = [line for line in (before or {}).get("lines", ()) if line.get("resource") in remaining]
    remains = {per: round(sum(line[f"idle_{per}"] for line in lines), 4) for per in ("hour", "month")}
    return CostChange(
        idle_before=before and before["idle"],
        idle_after=after and (_with(after["idle"], remains) if lines else after["idle"]),
        full_before=before and before["full"],
        full_after=after and (_with(after["full"], remains) if lines else after["full"]),
        queues=tuple(_queues(before, after)),
        as_of=min(dates, default=""),
        prices=kinds_of_prices(after or before or {}),
        remains=remains if lines else None,
        forecast_before=(before or {}).get("forecast"),
        forecast_after=(after or {}).get("forecast"),
        remaining=tuple(dict.fromkeys(line["resource"].rpartition("::")[2] for line in lines)),
    )


def _with(total: _Json, remains: Mapping[str, float]) -> _Json:
    return {
        "hour": round(total["hour"] + remains["hour"], 4),
        "month": round(total["month"] + remains["month"], 2),
        "at_least": total["at_least"],
    }


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
