from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.forecast.show.wording import duration
from hpc_components.report.parts import Table
from hpc_components.report.wording import count, hour, month
from hpc_components.review.document import CostChange, QueueCost, QuotaChange, Review
from hpc_components.wording import listed

_Total = Mapping[str, Any] | None

_TOTALS = ("USD", "before", "after", "change")
_QUEUES = ("Queue", "machine", "nodes at most", "USD a node-hour", "USD a core-hour")
_QUOTAS = ("Quota", "code", "before", "after", "default for a new account")

_OF_JOBS = {
    "  their median wait": ("median_wait", duration),
    "  90 % wait at most": ("p90_wait", duration),
    "  jobs that can't run": ("refused", "{:,}".format),
}
"""Maps titles of rows to keys of a forecast and to how their values are written."""

_NOTHING = "–"
_LISTED_NAMES = 4


def cost_differs(cost: CostChange | None) -> bool:
    if cost is None:
        return False
    totals = (cost.idle_before, cost.full_before), (cost.idle_after, cost.full_after)
    return bool(cost.queues) or totals[0] != totals[1] or cost.forecast_before != cost.forecast_after


def totals_table(cost: CostChange) -> Table:
    states = {"idle": (cost.idle_before, cost.idle_after), "full": (cost.full_before, cost.full_after)}
    differs = any(before != after for before, after in states.values())
    rows = (
        (f"{state}, {per}", _total(before, per), _total(after, per), _difference(before, after, per))
        for state, (before, after) in states.items()
        for per in ("hour", "month")
    )
    return Table("Cost of the cluster", _TOTALS, [*(rows if differs else ()), *_forecast(cost)])


def _forecast(cost: CostChange) -> Iterator[tuple[str, ...]]:
    """Yield what the project's own jobs would cost and how long they would wait, if that changes, or the
    reason why they can't be read."""
    if cost.forecast_before == cost.forecast_after:
        return
    sides = [side or {} for side in (cost.forecast_before, cost.forecast_after)]
    months = [side.get("month") for side in sides]
    jobs = next((side["jobs"] for side in reversed(sides) if "jobs" in side), None)
    if jobs is not None:
        known = [value for value in months if value is not None]
        change = f"{known[1] - known[0]:+,.2f}".replace("-", "−") if len(known) == 2 else _NOTHING
        yield f"jobs of {jobs}, month", *(_NOTHING if value is None else month(value) for value in months), change
    for title, (key, written) in _OF_JOBS.items():
        found = [side.get(key) for side in sides]
        if found[0] != found[1]:
            yield title, *(_NOTHING if value is None else written(value) for value in found), ""
    if problem := sides[1].get("problem"):
        yield f"no forecast after the change: {problem}", "", "", ""


def queues_table(cost: CostChange) -> Table:
    return Table("Cost of the queues", _QUEUES, map(_queue, cost.queues))


def _queue(queue: QueueCost) -> tuple[str, ...]:
    return (
        f"{queue.queue}{_presence(queue)}",
        _both(queue.machine_before, queue.machine_after),
        _both(_whole(queue.nodes_before), _whole(queue.nodes_after)),
        _both(_price(queue.node_hour_before, "{:,.3f}"), _price(queue.node_hour_after, "{:,.3f}")),
        _both(_price(queue.core_hour_before, "{:.4f}"), _price(queue.core_hour_after, "{:.4f}")),
    )


def cost_note(cost: CostChange) -> str:
    of = f" (oldest: {cost.as_of})" if cost.as_of else ""
    totals = (cost.idle_before, cost.idle_after, cost.full_before, cost.full_after)
    least = any(total["at_least"] for total in totals if total)
    missing = (
        " Some prices are unknown, so totals marked ≥ are too low and the actual changes may differ." if least else ""
    )
    return f"{cost.prices.capitalize()}{of}, not a quotation.{missing}"


def quotas_table(quotas: Iterable[QuotaChange]) -> Table:
    rows = (
        (each.name, each.code, f"{each.before:,g}", f"{each.after:,g} {each.unit}", _default(each))
        for each in quotas
        if _to_raise(each)
    )
    return Table("Quotas to raise", _QUOTAS, rows)


def other_quotas(quotas: Iterable[QuotaChange]) -> str:
    """Return a note on how many quotas need no request, or "" if all or none of them need one."""
    needs = Counter(map(_to_raise, quotas))
    if not needs[True] or not needs[False]:
        return ""
    return f"{count(needs[False], 'other need')} changed without requiring a quota request."


def key_figures(review: Review) -> str:
    return " ".join(filter(None, (_month(review), _new_findings(review.findings.new))))


def _month(review: Review) -> str:
    cost = review.cost
    if cost is None or not (review.changes or cost_differs(cost)):
        return ""
    idle, full = _figure(cost.idle_before, cost.idle_after), _figure(cost.full_before, cost.full_after)
    of_what_stays = f" {_remains(cost)}" if cost.remains else ""
    return (
        f"The cluster {'costs' if cost.full_after else 'cost'} {idle} a month when idle, and {full} with "
        f"every queue full.{of_what_stays}"
    )


def _remains(cost: CostChange) -> str:
    assert cost.remains
    names = listed(cost.remaining, _LISTED_NAMES)
    if cost.full_after:
        return (
            f"Both figures include USD {month(cost.remains['month'])} for resources that stay behind until they "
            f"are deleted: {names}."
        )
    return (
        f"From then on, resources that stay behind cost USD {month(cost.remains['month'])} a month until they are "
        f"deleted: {names}."
    )


def _figure(before: _Total, after: _Total) -> str:
    """Return the amount after the change, or before it if the stack is removed, e.g. `USD 1,000.00 (+100.00, +11
    %)`.
    """
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
