"""What a reader must know about a bill: what is estimated, unknown or missing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpc_components.bill.lives import Life, unknown_ends
from hpc_components.bill.records import Ledger
from hpc_components.bill.wording import hours, moment

if TYPE_CHECKING:
    from hpc_components.bill.bill import Bill


@dataclass(frozen=True)
class Note:
    code: str
    text: str


def notes(bill: "Bill", asked: tuple[int, int], ledger: Ledger, all_lives: Sequence[Life]) -> Iterator[Note]:
    """Yield notes on the bill of a period that was `asked` for, the most important first."""
    if asked[0] < bill.since:
        yield Note("begins-late", f"the records begin at {moment(bill.since)}: earlier costs are missing")
    if asked[1] > bill.until:
        yield Note("ends-early", f"the records end at {moment(bill.until)}: later costs are missing")
    yield from _unknown_prices(bill)
    yield from _interruptions(bill, ledger)
    if bill.jobs_elsewhere_ms:
        missing = hours(bill.jobs_elsewhere_ms)
        yield Note(
            "no-machine", f"{missing} node-hours of jobs cost nothing here: the ledger has no machine for them"
        )
    yield from _inexact_machines(bill, ledger, all_lives)
    whole = sorted({charge.tariff.queue for charge in bill.charges if charge.run is not None} - set(bill.about.nodes))
    if whole:
        yield Note(
            "no-capacity",
            f"the size of the nodes of {', '.join(whole)} is unknown: jobs on a node share all of it by their CPUs",
        )
    running = sum(run.end is None or run.end > bill.until for run in bill.runs)
    if running:
        yield Note(
            "running",
            f"{running} job{'s' if running > 1 else ''} went on after the period: the rest is in the next bill",
        )


def _interruptions(bill: "Bill", ledger: Ledger) -> Iterator[Note]:
    for gap in sorted(set(ledger.gaps), key=lambda each: (each.since, each.until, each.why)):
        if gap.since < bill.until and gap.until > bill.since:
            why = f" ({gap.why})" if gap.why else ""
            since = f"from {moment(gap.since)} " if gap.since else ""
            yield Note(
                "gap",
                f"nothing was recorded {since}until {moment(gap.until)}{why}: machines of that time may be missing",
            )
    for clock in sorted(set(ledger.clocks), key=lambda each: (each.at, each.step)):
        if clock.step and bill.since <= clock.at < bill.until:
            step = f"{clock.step / 1000:g} s at {moment(clock.at)}"
            yield Note(
                "clock", f"the head node's clock was set forward by {step}: times of earlier jobs may be wrong"
            )
    if ledger.unknown:
        kinds = ", ".join(sorted(ledger.unknown))
        yield Note("unknown-records", f"records of a newer release were left out: {kinds}; update this program")


def _inexact_machines(bill: "Bill", ledger: Ledger, all_lives: Sequence[Life]) -> Iterator[Note]:
    here = [life for life in all_lives if life.start < bill.until and life.end > bill.since]
    if rebuilt := sum(life.rebuilt for life in here):
        yield Note("rebuilt", f"{_machines(rebuilt)} with times that were estimated after a loss of the ledger")
    if any(charge.tariff.early for charge in bill.charges):
        yield Note("early-price", "some machines ran before their first recorded price, which was used for them")
    if late := sum(life.late for life in here):
        yield Note(
            "late-end",
            f"{_machines(late)} billed until the cloud no longer listed them, which may be some seconds too long",
        )
    if ends := unknown_ends(ledger):
        yield Note("no-start", f"{_machines(ends)} missing, because only the end was recorded")


def _unknown_prices(bill: "Bill") -> Iterator[Note]:
    unknown = [charge for charge in bill.charges if not charge.tariff.known]
    if unknown:
        types = sorted({f"{each.tariff.machine} ({each.tariff.purchase})" for each in unknown})
        yield Note(
            "no-price",
            f"{hours(sum(each.node_ms for each in unknown))} node-hours without a price cost nothing here:"
            f" {', '.join(types)}",
        )
    services = sorted({each.service.what for each in bill.services if each.service.usd_per_hour is None})
    if services:
        yield Note("no-price", f"without a price, and not in the total: {', '.join(services)}")


def _machines(count: int) -> str:
    return f"{count} machine{'s' if count > 1 else ''}"
