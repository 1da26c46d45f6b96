"""Makes a bill from a ledger and jobs."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hpc_components.bill.about import About
from hpc_components.bill.division import Occupant, divide, weight
from hpc_components.bill.jobs import Run, one_line_each
from hpc_components.bill.lives import Life, lives
from hpc_components.bill.notes import Note, notes
from hpc_components.bill.rates import Rates, Segment, Tariff
from hpc_components.bill.records import Ledger, Service
from hpc_components.bill.sharing import IN_PROPORTION, Shares, share

BOOT, IDLE, JOB = "boot", "idle", "job"

JITTER_MS = 60_000
"""Time of a run on a node that may be outside of its machine's life, because different clocks are compared."""


@dataclass(frozen=True)
class Charge:
    """Time of machines at one tariff: of a run, or the boot or idle time of a queue."""

    kind: str
    run: int | None
    tariff: Tariff
    node_ms: int
    units: int
    estimated: bool


@dataclass(frozen=True)
class ServiceCharge:
    service: Service
    since: int
    until: int
    units: int


@dataclass(frozen=True)
class Bill:
    """What a cluster cost from `since` to `until`, in milliseconds since the epoch. Amounts are in units."""

    about: About
    since: int
    until: int
    rule: str
    runs: Sequence[Run]
    charges: Sequence[Charge]
    services: Sequence[ServiceCharge]
    shares: Shares
    jobs_elsewhere_ms: int
    """Node time of jobs on nodes without a known machine at that time. Time after a machine was lost does not count:
    Slurm needs minutes to notice it."""
    notes: Sequence[Note] = ()

    @property
    def total(self) -> int:
        return sum(charge.units for charge in self.charges) + sum(charge.units for charge in self.services)

    def job_costs(self) -> list[int]:
        """Return the cost of each run without its part of the shared costs."""
        return _by_run(len(self.runs), ((charge.run, charge.units) for charge in self.charges))

    def node_ms(self) -> list[int]:
        return _by_run(len(self.runs), ((charge.run, charge.node_ms) for charge in self.charges))

    def estimated(self) -> set[int]:
        """Return the runs whose cost is an estimate or incomplete."""
        return {charge.run for charge in self.charges if charge.run is not None and charge.estimated}


def make_bill(
    ledger: Ledger, runs: Iterable[Run], about: About, since: int, until: int, rule: str = IN_PROPORTION
) -> Bill:
    """Make the bill of a period, or of its part that the records cover.

    Every moment of a machine's life is boot, idle, or divided among the jobs on its node. Amounts are exact: sums
    over runs, boot, idle time and services are the total, and the bills of two halves of a period add up to the bill
    of the period, except that a run's cost is rounded down to a unit for each machine, rate and period, in favour of
    idle time. Where the period and the records end with the export, the least time that the cloud bills for machines
    that have ended counts even if it is not over. `rule` is one of `sharing.RULES`.
    """
    ends_with_export = until >= about.until >= about.exported and since < about.until
    asked = since, until
    since = max(since, about.since)
    until = max(since, min(until, about.until))
    known = one_line_each(runs)
    machines_until = until + about.minimum_ms * ends_with_export
    all_lives = lives(ledger, known, about.until, about.minimum_ms)
    present = [run for run in known if run.start < until and (run.end is None or run.end > since)]
    occupants, elsewhere = _occupants(all_lives, present, about, since, until)
    charges = _charges(all_lives, Rates(ledger.prices), occupants, since, machines_until)
    services = list(service_charges(ledger.services, since, until))
    bill = Bill(about, since, until, rule, present, charges, services, Shares([]), elsewhere)
    return replace(bill, shares=_shares(bill), notes=tuple(notes(bill, asked, ledger, all_lives)))


def _by_run(count: int, amounts: Iterable[tuple[int | None, int]]) -> list[int]:
    sums = [0] * count
    for run, amount in amounts:
        if run is not None:
            sums[run] += amount
    return sums


def _charges(
    all_lives: Sequence[Life], rates: Rates, occupants: Mapping[str, Sequence[Occupant]], since: int, until: int
) -> list[Charge]:
    sums: dict[tuple[str, int, Tariff, bool], list[int]] = defaultdict(lambda: [0, 0])
    for life in all_lives:
        segments = list(rates.over(life.machine, max(life.start, since), min(life.end, until)))
        for kind, run, tariff, node_ms, units in _pieces(life, segments, occupants.get(life.machine.id, ())):
            its = sums[kind, run, tariff, life.rebuilt or tariff.early or not tariff.known]
            its[0] += node_ms
            its[1] += units
    return [
        Charge(kind, run if kind == JOB else None, tariff, node_ms, units, estimated)
        for (kind, run, tariff, estimated), (node_ms, units) in sorted(sums.items())
        if node_ms or units
    ]


def _pieces(
    life: Life, segments: Sequence[Segment], occupants: Sequence[Occupant]
) -> Iterator[tuple[str, int, Tariff, int, int]]:
    """Yield (kind, run, tariff, node_ms, units) for all parts of a life. What runs leave is subtracted from idle."""
    sums: dict[int, list[int]] = {}
    tariffs: dict[int, Tariff] = {}
    for since, until, tariff, price in segments:
        its = sums.setdefault(id(tariff), [0, 0, 0, 0])
        tariffs[id(tariff)] = tariff
        middle = min(until, max(since, life.ready))
        its[0] += middle - since
        its[1] += (middle - since) * price
        its[2] += until - middle
        its[3] += (until - middle) * price
    for key, (boot, boot_units, idle, idle_units) in sums.items():
        yield BOOT, -1, tariffs[key], boot, boot_units
        yield IDLE, -1, tariffs[key], idle, idle_units
    for run, tariff, node_ms, units in divide(segments, occupants):
        yield JOB, run, tariff, node_ms, units
        yield IDLE, -1, tariff, -node_ms, -units


def _occupants(
    all_lives: Sequence[Life], runs: Sequence[Run], about: About, since: int, until: int
) -> tuple[Mapping[str, list[Occupant]], int]:
    """Return the runs on each machine while it could run jobs, and the node time of runs on no known machine."""
    windows: dict[str, list[Life]] = defaultdict(list)
    for life in all_lives:
        windows[life.machine.node].append(life)
    ends = {node: [life.jobs_until for life in its] for node, its in windows.items()}
    found: dict[str, list[Occupant]] = defaultdict(list)
    elsewhere = 0
    for number, run in enumerate(runs):
        begin, stop = max(since, run.start), until if run.end is None else min(until, run.end)
        for node in run.nodes:
            its = windows.get(node, [])
            missing = stop - begin
            for life in its[bisect_right(ends[node], begin) if its else 0 :]:
                if life.ready >= stop:
                    break
                start, end = max(begin, life.ready), min(stop, life.jobs_until)
                if start < end:
                    missing -= end - start
                    its_weight = weight(run, about.nodes.get(life.machine.queue))
                    found[life.machine.id].append(Occupant(number, start, end, its_weight))
            if missing == stop - begin and missing > JITTER_MS:
                elsewhere += missing
    return found, elsewhere


def service_charges(services: Iterable[Service], since: int, until: int) -> Iterator[ServiceCharge]:
    """Yield what services cost in a period."""
    history: dict[str, dict[int, Service]] = defaultdict(dict)
    for service in sorted(set(services), key=lambda each: (each.what, each.since, repr(each))):
        history[service.what][service.since] = service
    for its in history.values():
        following = [*list(its)[1:], until]
        for (begin, service), after in zip(its.items(), following, strict=True):
            start, end = max(since, begin), min(until, after)
            if start < end and service.usd_per_hour != 0:
                yield ServiceCharge(service, start, end, (end - start) * (service.usd_per_hour or 0))


def _shares(bill: Bill) -> Shares:
    overhead: dict[str, int] = defaultdict(int)
    for charge in bill.charges:
        if charge.run is None:
            overhead[charge.tariff.queue] += charge.units
    organizations = bill.about.organizations()
    known = sorted({name for name in organizations.values() if name})
    party = organizations if known else bill.about.tops()
    return share(
        bill.rule,
        bill.job_costs(),
        [run.queue for run in bill.runs],
        overhead,
        sum(charge.units for charge in bill.services),
        known or sorted(set(bill.about.tops().values())),
        lambda run: party.get(bill.runs[run].account),
    )
