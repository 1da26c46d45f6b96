"""A bill as lines: one for each run of a job, and one for each shared cost."""

from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.bill.amounts import shown
from hpc_components.bill.bill import Bill
from hpc_components.bill.jobs import Run
from hpc_components.bill.views import overhead

NANO = 9
"""Decimals of the amounts."""


@dataclass(frozen=True)
class Line:
    """One line. Amounts are in nano-dollars.

    `cost` and `total` of all lines add up to the bill's total. `shared` of a run is its part of the shared costs,
    which is subtracted from the lines of these.
    """

    kind: str
    """`job`, `overhead`, or `share` for the part of an organization without jobs."""
    name: str
    organization: str
    account: str
    run: Run | None
    node_ms: int
    cost: int
    shared: int
    estimated: bool

    @property
    def total(self) -> int:
        return self.cost + self.shared


def lines_of(bill: Bill, organization: str | None = None) -> list[Line]:
    """Return all lines of a bill, or those of one organization."""
    lines = list(_lines(bill))
    return [line for line in lines if line.organization == organization] if organization is not None else lines


def _lines(bill: Bill) -> Iterator[Line]:
    organizations = bill.about.organizations()
    kinds = overhead(bill)
    costs, amounts = bill.job_costs(), [amount for _, amount in kinds]
    jobs_total, shared_total = shown([sum(costs), sum(amounts)], NANO)
    job_costs, overheads = shown(costs, NANO, jobs_total), shown(amounts, NANO, shared_total)
    divided = not bill.shares.undivided
    parties = sorted(bill.shares.of_parties.items())
    shares = shown([*bill.shares.of_runs, *(amount for _, amount in parties)], NANO, shared_total * divided)
    node_ms, estimated = bill.node_ms(), bill.estimated()
    for number, run in enumerate(bill.runs):
        organization = organizations.get(run.account) or ""
        yield Line(
            "job", run.name, organization, run.account, run, node_ms[number], job_costs[number], shares[number],
            number in estimated,
        )  # fmt: skip
    for (name, _), cost in zip(kinds, overheads, strict=True):
        yield Line("overhead", name, "", "", None, 0, cost, -cost * divided, False)
    for (party, _), part in zip(parties, shares[len(bill.runs) :], strict=True):
        of_organization = party in organizations.values()
        yield Line(
            "share", "shared costs", party * of_organization, party * (not of_organization), None, 0, 0, part, False
        )
