"""The bill of a real ledger: real daemon and Slurm 22.05 with an emulated cloud, recorded. 60 short jobs of three
organizations, spot machines that were reclaimed, a killed daemon, a replaced head node, a changed price."""

from decimal import Decimal
from pathlib import Path

from hpc_components.bill.amounts import UNITS_PER_USD
from hpc_components.bill.bill import Bill, make_bill
from hpc_components.bill.export import read_export
from hpc_components.bill.views import view_of

EXPORT = read_export("recorded", lambda name: (Path(__file__).parent / "recorded" / name).read_bytes())

METER = Decimal("222.44366089398224")
"""What the emulated cloud's own meter counted for the machines, in USD."""


def bill() -> Bill:
    return make_bill(EXPORT.ledger, EXPORT.runs, EXPORT.about, EXPORT.about.since, EXPORT.about.until)


def test_machines_cost_what_the_cloud_s_meter_says() -> None:
    made = bill()
    machines = Decimal(sum(charge.units for charge in made.charges)) / UNITS_PER_USD
    assert abs(machines - METER) < Decimal("1e-9")
    services = sum(charge.units for charge in made.services)
    assert made.total == sum(charge.units for charge in made.charges) + services
    assert made.notes == ()


def test_organizations_add_up_to_the_total() -> None:
    view = view_of(bill(), "organization")
    assert [(row.name, row.jobs) for row in view.rows] == [("acme", 24), ("birch", 18), ("cedar", 18)]
    assert view.total.total == 27200
    assert min(row.job_costs for row in view.rows) > 100
