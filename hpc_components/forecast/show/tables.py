"""The tables of a forecast, for all formats."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hpc_components.forecast.show.wording import day, duration, share, usd
from hpc_components.report.parts import Column, Table, words
from hpc_components.wording import listed, plural

_Json = Mapping[str, Any]

_LISTED = 5
"""Maximum number of queues that a sentence lists."""


def overview(document: _Json) -> Table:
    """Return the table that shows the stacks side by side."""
    stacks = document["stacks"]
    rows = [
        ("cost, USD", *(usd(stack["cost"]) for stack in stacks)),
        ("  of nodes", *(usd(sum(queue["cost"] for queue in stack["queues"])) for stack in stacks)),
        ("  of what always runs", *(usd(_standing(stack)) for stack in stacks)),
        ("cost in a month of 730 h", *(usd(stack["month"]) for stack in stacks)),
        ("wait, median", *(_wait(stack["waits"], "median") for stack in stacks)),
        ("wait, 90 % of jobs at most", *(_wait(stack["waits"], "p90") for stack in stacks)),
        ("wait, longest", *(_wait(stack["waits"], "max") for stack in stacks)),
        ("node-hours", *(f"{_sum(stack, 'node_hours'):,.0f}" for stack in stacks)),
        ("  used by jobs", *(share(_mean(stack, "use")) for stack in stacks)),
        ("  booting", *(share(_mean(stack, "boot")) for stack in stacks)),
        ("machines launched", *(f"{_sum(stack, 'boots'):,.0f}" for stack in stacks)),
        ("jobs that ran", *(f"{stack['finished']:,}" for stack in stacks)),
        ("jobs that can't run", *(f"{sum(each['jobs'] for each in stack['refused']):,}" for stack in stacks)),
    ]
    for title, key in (
        ("launches without capacity", "capacity_errors"),
        ("machines taken back", "lost_machines"),
        ("jobs started again", "requeued"),
        ("jobs lost", "failed"),
        ("lost node-hours", "lost_node_hours"),
    ):
        if any(_sum(stack, key) for stack in stacks):
            rows.append((title, *(f"{_sum(stack, key):,.0f}" for stack in stacks)))
    return Table("Stacks side by side", ["", *(Column(stack["stack"]) for stack in stacks)], rows)


def queues(stack: _Json) -> Table:
    columns = (
        "queue",
        words("nodes"),
        Column("jobs"),
        Column("node-hours", short="node-h"),
        Column("used"),
        Column("median wait", short="wait"),
        Column("90 % wait", short="90 %"),
        Column("cost, USD"),
    )
    rows = (
        (
            queue["queue"],
            f"{queue['min']} to {queue['max']:,} × {queue['machine']}",
            f"{queue['jobs']:,}",
            f"{queue['node_hours']:,.0f}",
            share(queue["use"]),
            _wait(queue["waits"], "median"),
            _wait(queue["waits"], "p90"),
            usd(queue["cost"]),
        )
        for queue in stack["queues"]
    )
    return Table(f"Queues of {stack['stack']}", columns, rows)


def accounts(document: _Json, limit: int | None = None) -> Table:
    """Return what each account's jobs cost in each stack. With a limit, small accounts share a row."""
    stacks = document["stacks"]
    own = [{row["account"]: row["cost"] for row in stack["accounts"] if "account" in row} for stack in stacks]
    names = sorted({name for one in own for name in one}, key=lambda name: (-max(_each(own, name)), name))
    shown = names if limit is None or len(names) <= limit else names[: limit - 1]
    rows = [(name or "without account", *map(usd, _each(own, name))) for name in shown]
    if rest := names[len(shown) :]:
        sums = [sum(one.get(name, 0) for name in rest) for one in own]
        rows.append((f"{plural(len(rest), 'more account')}", *map(usd, sums)))
    common = [{row["shared"]: row["cost"] for row in stack["accounts"] if "shared" in row} for stack in stacks]
    for name in dict.fromkeys(name for one in common for name in one):
        rows.append((name, *map(usd, _each(common, name))))
    total = ("total", *(usd(stack["cost"]) for stack in stacks))
    return Table(
        "Costs by account", ["account", *(Column(s["stack"]) for s in stacks)], rows, total=total, wraps=True
    )


def remarks(document: _Json) -> Iterator[str]:
    """Yield sentences about warm nodes, jobs that were left out or moved, and about prices that are missing."""
    for stack in document["stacks"]:
        if stack["warm"]:
            yield f"{stack['stack']}: nodes kept running, on the file's clock: {', '.join(stack['warm'])}."
    for each in document["jobs"]["left_out"]:
        yield f"{plural(each['jobs'], 'job')} left out: {each['reason']}."
    for stack in document["stacks"]:
        for each in stack["refused"]:
            example = f"e.g. job {each['example']}" if each["jobs"] > 1 else f"job {each['example']}"
            yield (
                f"{stack['stack']}: {plural(each['jobs'], 'job')} can't run in queue {each['queue']}: "
                f"{each['reason']} ({example})."
            )
        for target in dict.fromkeys(each["to"] for each in stack["moved"]):
            own = [each for each in stack["moved"] if each["to"] == target]
            old = listed((each["from"] or "no queue" for each in own), _LISTED)
            jobs = plural(sum(each["jobs"] for each in own), "job")
            yield f"{stack['stack']}: {jobs} of other queues ran in queue {target} ({old})."
        for machine in stack["unpriced"]:
            yield f"{stack['stack']}: the price of {machine} is unknown, so its nodes cost nothing here."


def about(document: _Json) -> str:
    """Return what was replayed, and what was assumed."""
    assumed = document["assumed"]
    said = [_boots(assumed)]
    if assumed["capacity_errors"]:
        said.append(f"{assumed['capacity_errors']:.1%} of launches find no capacity")
    if assumed["spot_losses"]:
        said.append(f"{assumed['spot_losses']:.1%} of spot machines are taken back each hour")
    if assumed["capacity_errors"] or assumed["spot_losses"]:
        said.append(f"seed {assumed['seed']}")
    return (
        f"{document['jobs']['submitted']:,} jobs from {day(document['first'])} to {day(document['last'])} "
        f"({document['jobs']['file']}). Assumed: {', '.join(said)}. List prices, or those of billing.rates."
    )


def _boots(assumed: _Json) -> str:
    measured = [f"{machine} {seconds} s" for machine, seconds in assumed["measured_boots"].items()]
    if not measured:
        return f"nodes boot in {duration(assumed['boot_seconds'])}"
    others = f"other machines {duration(assumed['boot_seconds'])}"
    return f"nodes boot in the measured median ({listed(measured, _LISTED)}; {others})"


def _standing(stack: _Json) -> float:
    return round(stack["cost"] - sum(queue["cost"] for queue in stack["queues"]), 2)


def _sum(stack: _Json, key: str) -> float:
    return sum(queue[key] for queue in stack["queues"])


def _mean(stack: _Json, key: str) -> float | None:
    """Return the mean of the queues' shares, weighted by their node-hours."""
    hours = _sum(stack, "node_hours")
    return sum((queue[key] or 0) * queue["node_hours"] for queue in stack["queues"]) / hours if hours else None


def _wait(waits: _Json | None, key: str) -> str:
    return "-" if waits is None else duration(waits[key])


def _each(amounts: Sequence[Mapping[str, float]], name: str) -> list[float]:
    return [one.get(name, 0.0) for one in amounts]
