"""Rows of text for a review's cost, quotas and key figures, the same for every format."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hpc_components.preview.render.wording import count, hour, month
from hpc_components.review.document import CostChange, QueueCost, QuotaChange, Review

_Total = Mapping[str, Any] | None

TOTAL_COLUMNS = ("USD", "before", "after", "change")
QUEUE_COLUMNS = ("Queue", "machine", "nodes at most", "USD a node-hour", "USD a core-hour")
QUOTA_COLUMNS = ("Quota", "code", "before", "after", "a new account has")

_NOTHING = "–"
_LISTED_NAMES = 4
"""Maximum number of names in a list of resources."""


def cost_differs(cost: CostChange | None) -> bool:
    """Return whether a total or a queue's cost changes."""
    if cost is None:
        return False
    totals = (cost.idle_before, cost.full_before), (cost.idle_after, cost.full_after)
    return bool(cost.queues) or totals[0] != totals[1]


def total_rows(cost: CostChange) -> list[tuple[str, ...]]:
    """Return a row with the `TOTAL_COLUMNS` for each state and unit of time; none if no total differs."""
    if (cost.idle_before, cost.full_before) == (cost.idle_after, cost.full_after):
        return []
    states = {"idle": (cost.idle_before, cost.idle_after), "full": (cost.full_before, cost.full_after)}
    return [
        (f"{state}, {per}", _total(before, per), _total(after, per), _difference(before, after, per))
        for state, (before, after) in states.items()
        for per in ("hour", "month")
    ]


def queue_rows(cost: CostChange) -> list[tuple[str, ...]]:
    """Return a row with the `QUEUE_COLUMNS` for each queue that differs."""
    return [
        (
            f"{queue.queue}{_presence(queue)}",
            _both(queue.machine_before, queue.machine_after),
            _both(_whole(queue.nodes_before), _whole(queue.nodes_after)),
            _both(_price(queue.node_hour_before, "{:,.3f}"), _price(queue.node_hour_after, "{:,.3f}")),
            _both(_price(queue.core_hour_before, "{:.4f}"), _price(queue.core_hour_after, "{:.4f}")),
        )
        for queue in cost.queues
    ]


def cost_note(cost: CostChange) -> str:
    """Return what to know about the prices."""
    of = f", the oldest of {cost.as_of}" if cost.as_of else ""
    totals = (cost.idle_before, cost.idle_after, cost.full_before, cost.full_after)
    least = any(total["at_least"] for total in totals if total)
    missing = " Some prices are not known: those totals are too low, and their change may differ." if least else ""
    return f"List prices{of}, not a quotation.{missing}"


def quota_rows(quotas: Iterable[QuotaChange]) -> list[tuple[str, ...]]:
    """Return a row with the `QUOTA_COLUMNS` for each quota to raise."""
    return [
        (each.name, each.code, f"{each.before:,g}", f"{each.after:,g} {each.unit}", _default(each))
        for each in quotas
        if _to_raise(each)
    ]


def other_quotas(quotas: Iterable[QuotaChange]) -> str:
    """Return how many other needs change without a request; empty unless some need a request and some do not."""
    needs = Counter(map(_to_raise, quotas))
    if not needs[True] or not needs[False]:
        return ""
    return f"{count(needs[False], 'other need')} changed without a request."


def key_figures(review: Review) -> str:
    """Return the key figures besides the verdict: cost of a month, and new findings."""
    return " ".join(filter(None, (_month(review), _new_findings(review.findings.new))))


def _month(review: Review) -> str:
    """Return the cost of a month, idle and full, in a sentence."""
    cost = review.cost
    if cost is None or not (review.changes or cost_differs(cost)):
        return ""
    idle, full = _figure(cost.idle_before, cost.idle_after), _figure(cost.full_before, cost.full_after)
    of_what_stays = f" {_remains(cost)}" if cost.remains else ""
    return (
        f"A month {'costs' if cost.full_after else 'cost'} {idle} idle, {full} with every queue full.{of_what_stays}"
    )


def _remains(cost: CostChange) -> str:
    """Return the cost of resources that leave the stack and stay in the cloud, in a sentence."""
    assert cost.remains
    names = _row(cost.remaining)
    if cost.full_after:
        return f"USD {month(cost.remains['month'])} of it is for what stays behind until it is deleted: {names}."
    return f"From then on USD {month(cost.remains['month'])} a month is for what stays until it is deleted: {names}."


def _row(names: Sequence[str]) -> str:
    rest = len(names) - _LISTED_NAMES
    return ", ".join(names[:_LISTED_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def _figure(before: _Total, after: _Total) -> str:
    """Return the amount after the change, else before it: `USD 1,000.00 (+100.00, +11 %)`."""
    more = _difference(before, after, "month").replace(" (", ", ").removesuffix(")")
    changed = before and after and more != _SAME
    return f"USD {_total(after or before, 'month')}{f' ({more})' if changed else ''}"


def _new_findings(new: Iterable[Mapping[str, Any]]) -> str:
    levels = Counter(str(finding["level"]) for finding in new)
    return f"New findings: {', '.join(count(number, level) for level, number in levels.items())}." if levels else ""


_SAME = "±0"


def _total(total: _Total, per: str) -> str:
    if total is None:
        return _NOTHING
    figure = hour(total["hour"]) if per == "hour" else month(total["month"])
    return f"≥ {figure}" if total["at_least"] else figure


def _difference(before: _Total, after: _Total, per: str) -> str:
    one, other = (total[per] if total else 0.0 for total in (before, after))
    more = other - one
    if not round(more, 3 if per == "hour" else 2):
        return _SAME
    figure = f"{more:+,.3f}" if per == "hour" else f"{more:+,.2f}"
    share = f" ({100 * more / one:+,.0f} %)" if one and before and after else ""
    return figure.replace("-", "−") + share.replace("-", "−")


def _presence(queue: QueueCost) -> str:
    if queue.nodes_before is None:
        return " (new)"
    return " (gone)" if queue.nodes_after is None else ""


def _both(before: str | None, after: str | None) -> str:
    """Return a single value, or both if they differ: `16 → 32`."""
    there = [text for text in (before, after) if text is not None]
    return " → ".join(dict.fromkeys(there)) or "?"


def _whole(number: int | None) -> str | None:
    return None if number is None else f"{number:,}"


def _price(usd: float | None, form: str) -> str | None:
    return None if usd is None else form.format(usd)


def _default(quota: QuotaChange) -> str:
    return "?" if quota.default is None else f"{quota.default:,g}"


def _to_raise(quota: QuotaChange) -> bool:
    return quota.ask and quota.after > quota.before
