"""A bill by organization, account, user, queue or job."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from hpc_components.bill.amounts import shown
from hpc_components.bill.bill import BOOT, IDLE, Bill

BY = ("organization", "account", "user", "queue", "job")

WITHOUT = "(none)"
"""The name of a row for jobs without an organization, account or the like."""


@dataclass(frozen=True)
class Row:
    """A row of a bill. Amounts are integers of 10^-decimals dollars; those of all rows add up to the total."""

    name: str
    jobs: int
    """Number of jobs. A job that was requeued counts once, and pays for each of its runs."""
    node_ms: int
    job_costs: int
    shared: int
    estimated: bool

    @property
    def total(self) -> int:
        return self.job_costs + self.shared


@dataclass(frozen=True)
class View:
    """A bill or one organization's part of it, by `by`."""

    bill: Bill
    by: str
    organization: str | None
    decimals: int
    rows: Sequence[Row]
    overhead: Sequence[tuple[str, int]]
    """Name and amount of all shared costs of the cluster."""

    @property
    def total(self) -> Row:
        return Row(
            "total",
            sum(row.jobs for row in self.rows),
            sum(row.node_ms for row in self.rows),
            sum(row.job_costs for row in self.rows),
            sum(row.shared for row in self.rows),
            any(row.estimated for row in self.rows),
        )


def view_of(bill: Bill, by: str, organization: str | None = None, decimals: int = 2) -> View:
    """Return a bill by one of BY. With `organization`, only its jobs and its part of the shared costs.

    An organization's bill has the amounts of its row in the bill by organizations.
    """
    jobs_total, shared_total = shown([sum(bill.job_costs()), _shared(bill)], decimals)
    if organization is not None:
        (row,) = (
            row for row in _rows(bill, "organization", None, decimals, (jobs_total, shared_total))
            if row.name == organization
        )  # fmt: skip
        totals = row.job_costs, row.shared
    else:
        totals = jobs_total, shared_total
    rows = _rows(bill, by, organization, decimals, totals)
    kinds = overhead(bill)
    amounts = shown([amount for _, amount in kinds], decimals, shared_total)
    return View(
        bill, by, organization, decimals, rows, [(kind, its) for (kind, _), its in zip(kinds, amounts, strict=True)]
    )


def organizations_in(bill: Bill) -> list[str]:
    """Return the organizations that have a row in the bill."""
    return sorted({name for name in bill.about.organizations().values() if name})


def overhead(bill: Bill) -> list[tuple[str, int]]:
    """Return the shared costs by name, in units."""
    sums: dict[str, int] = {"boot of machines": 0, "idle machines": 0}
    for charge in bill.charges:
        if charge.kind == BOOT:
            sums["boot of machines"] += charge.units
        elif charge.kind == IDLE:
            sums["idle machines"] += charge.units
    for service in bill.services:
        sums[service.service.what] = sums.get(service.service.what, 0) + service.units
    return list(sums.items())


def _shared(bill: Bill) -> int:
    return sum(amount for _, amount in overhead(bill))


def _rows(bill: Bill, by: str, organization: str | None, decimals: int, totals: tuple[int, int]) -> list[Row]:
    costs, node_ms, estimated = bill.job_costs(), bill.node_ms(), bill.estimated()
    organizations = bill.about.organizations()
    members: dict[str, list[int]] = defaultdict(list)
    for number, run in enumerate(bill.runs):
        its = organizations.get(run.account)
        if organization is None or its == organization:
            name = {
                "organization": its, "account": run.account, "user": run.user, "queue": run.queue, "job": run.id
            }[by]  # fmt: skip
            members[name or WITHOUT].append(number)
    shares = {name: sum(bill.shares.of_runs[number] for number in numbers) for name, numbers in members.items()}
    if by == "organization":
        for name in organizations_in(bill):
            if organization in (None, name):
                members.setdefault(name, [])
                shares.setdefault(name, 0)
    party_kind = "organization" if any(organizations.values()) else "account"
    for party, amount in bill.shares.of_parties.items():
        if organization in (None, party):
            name = party if by == party_kind else f"(shared costs of {party})"
            members.setdefault(name, [])
            shares[name] = shares.get(name, 0) + amount
    if bill.shares.undivided and organization is None:
        members["(shared costs)"], shares["(shared costs)"] = [], bill.shares.undivided
    names = sorted(members, key=lambda name: (name.startswith("("), name))
    job_costs = shown([sum(costs[number] for number in members[name]) for name in names], decimals, totals[0])
    shared = shown([shares[name] for name in names], decimals, totals[1])
    return [
        Row(
            name,
            len({bill.runs[number].raw_id for number in members[name]}),
            sum(node_ms[number] for number in members[name]),
            job_costs[place],
            shared[place],
            any(number in estimated for number in members[name]),
        )
        for place, name in enumerate(names)
    ]
