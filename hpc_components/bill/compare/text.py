"""A comparison as text."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from hpc_components.bill.compare.comparison import TOLERANCE, Comparison
from hpc_components.bill.compare.formats import DISCOUNTS, GROUPS, IN_LEDGER, MACHINES


def comparison_text(comparison: Comparison, cluster: str, file: str) -> str:
    """Return a table by group, a table by day, and what explains the differences."""
    return "\n".join(line.rstrip() for line in _lines(comparison, cluster, file)) + "\n"


def _lines(its: Comparison, cluster: str, file: str) -> Iterator[str]:
    yield f"Ledger of cluster {cluster} and {its.cloud.title} ({file})"
    yield f"{its.days[0]} to {its.days[-1]} UTC, days that both have: {len(its.common)} of {len(its.days)}, in USD"
    yield ""
    rows = [
        (group, _cents(its.of_ledger(group)), _cents(its.of_cloud(group)))
        for group in GROUPS
        if its.of_ledger(group) or its.of_cloud(group)
    ]
    total = "total", sum((row[1] for row in rows), Decimal(0)), sum((row[2] for row in rows), Decimal(0))
    yield from _table([("", "ledger", "cloud", "difference"), *map(_cells, [*rows, total])])
    yield ""
    by_day = [(day, _of_day(its.ledger, day), _of_day(its.cloud.costs, day)) for day in its.days]
    yield from _table([("day", "ledger", "cloud", "difference"), *map(_cells, by_day)])
    yield ""
    yield from (f"- {reason}" for reason in _reasons(its))


def _of_day(costs: Mapping[tuple[str, str], Decimal], day: str) -> Decimal:
    return _cents(sum((costs.get((group, day), Decimal(0)) for group in GROUPS), Decimal(0)))


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01")) + 0


def _cells(row: tuple[str, Decimal, Decimal]) -> tuple[str, ...]:
    name, ours, theirs = row
    return name, f"{ours:,.2f}", f"{theirs:,.2f}", f"{theirs - ours:+,.2f}"


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(f"{cell:>{width}}" if at else f"{cell:<{width}}" for at, (cell, width) in enumerate(cells))


def _reasons(its: Comparison) -> Iterator[str]:
    if its.missing:
        yield f"not in the file, and not compared: {', '.join(its.missing)}; clouds report costs a day or two later"
    listed, charged = its.at_list_price(MACHINES), its.of_cloud(MACHINES)
    if listed and abs(listed - charged) > Decimal("0.005"):
        yield f"discount: machines and disks cost {charged / listed:.1%} of the list price, {listed:,.2f} USD"
    for group in GROUPS:
        if group not in IN_LEDGER and its.of_cloud(group) and not its.of_ledger(group):
            why = "the ledger has list prices" if group == DISCOUNTS else "the ledger does not have it"
            yield f"{group}: {its.of_cloud(group):,.2f} USD; {why}"
    for group, difference in its.unexplained():
        price = "at the contract's rates" if group in its.at_contract_rates else "at list price"
        yield (
            f"{group}: {difference:+,.2f} USD {price} is not explained, more than {TOLERANCE:.0%}: compare"
            " prices (`hpc catalog refresh`), and look for resources that others made with the cluster's tag"
        )
    if its.agrees:
        yield f"the rest is within {TOLERANCE:.0%}"
    others = sum(its.cloud.others.values(), Decimal(0))
    if its.cloud.other_rows:
        yield (
            f"{its.cloud.other_rows:,} rows without the cluster's tag are not part of this: {others:,.2f} USD"
            + "".join(
                f", {group} {amount:,.2f}"
                for group, amount in sorted(its.cloud.others.items())
                if group not in IN_LEDGER and amount
            )
        )
