"""Any records of a small cluster, for property tests: shared nodes, replaced machines, changing prices."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.bill import records

END = 5_000
"""The last second of the records."""


@dataclass(frozen=True)
class Month:
    records: list[dict[str, Any]]
    lines: list[str]


_TIMES = st.integers(0, END)
_PRICES = st.sampled_from(["0", "0.1", "3.06", "0.333333333", "98.32", None])


@st.composite
def _machines(draw: st.DrawFn) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 5))):
        id_, start = f"i-{number}", draw(_TIMES)
        queue = draw(st.sampled_from(["cpu", "gpu"]))
        node = f"{queue}-{draw(st.integers(1, 2))}"
        by = draw(st.sampled_from(["cloud", "daemon", "rebuilt"]))
        fraction = draw(st.sampled_from([0, 0.001, 0.5]))
        found.append(records.machine(id_, start + fraction, node=node, queue=queue, started_by=by))
        if draw(st.booleans()):
            found.append(records.registered(id_, start + draw(st.integers(0, 300))))
        for by in draw(st.lists(st.sampled_from(["cloud", "daemon", "list", "rebuilt"]), max_size=2)):
            found.append(records.ended(id_, start + draw(st.integers(0, 3000)) + fraction, ended_by=by))
    return found


_USERS = st.sampled_from(["ada", "abe", "bea"])
_ACCOUNTS = st.sampled_from(["acme", "nlp", "birch", "gone", ""])


@st.composite
def _runs(draw: st.DrawFn, number: int, user: str, account: str, queue: str) -> str:
    """A line of `sacct` for a run of a job."""
    start, nodes = draw(st.integers(1, END - 1)), draw(st.integers(1, 2))
    cpus = draw(st.integers(1, 4)) * nodes
    memory = draw(st.sampled_from([1, 4000, 16000]))
    gpus = draw(st.integers(0, 4)) if queue == "gpu" else 0
    return records.line(
        number,
        start,
        draw(st.one_of(st.just("Unknown"), st.integers(start, END))),
        User=user,
        Account=account,
        Partition=queue,
        AllocCPUS=cpus,
        AllocTRES=f"cpu={cpus},gres/gpu={gpus},mem={memory}M,node={nodes}",
        NodeList=f"{queue}-[1-2]" if nodes == 2 else f"{queue}-{draw(st.integers(1, 2))}",
        JobName=f"run-{number}",
    )


@st.composite
def months(draw: st.DrawFn) -> Month:
    machines = draw(_machines())
    prices = [
        records.price(at, usd, queue=queue)
        for at, usd, queue in draw(st.lists(st.tuples(_TIMES, _PRICES, st.sampled_from(["cpu", "gpu"])), max_size=5))
    ]
    services = [
        records.service(at, usd, what)
        for at, usd, what in draw(st.lists(st.tuples(_TIMES, _PRICES, st.sampled_from(["head", "disk"])), max_size=4))
    ]
    jobs = draw(st.lists(st.tuples(_USERS, _ACCOUNTS, st.sampled_from(["cpu", "gpu"])), min_size=1, max_size=10))
    lines = [draw(_runs(number, *draw(st.sampled_from(jobs)))) for number in range(draw(st.integers(0, 12)))]
    for number in draw(st.lists(st.integers(0, len(jobs) - 1), max_size=4)):  # runs of requeued jobs
        lines += [draw(_runs(100 + number, *jobs[number])), draw(_runs(100 + number, *jobs[number]))]
    return Month([*machines, *prices, *services], lines)
