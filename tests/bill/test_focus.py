"""A bill as a FOCUS file: the validator of the FinOps Foundation checks it, and its sums are those of the bill."""

import csv
import io
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from hpc_components.bill.amounts import UNITS_PER_USD
from hpc_components.bill.bill import Bill, make_bill
from hpc_components.bill.export import read_export
from hpc_components.bill.focus_bill import COLUMNS, focus_bill
from hpc_components.bill.sharing import RULES

ROOT = Path(__file__).parents[2]
VALIDATOR = ROOT / "build/focus/bin/focus-validator"
EXPORT = read_export("example", lambda name: (ROOT / "examples/bill/export" / name).read_bytes())

DRAFT_NAMES = {
    "InvoiceIssuer": "InvoiceIssuerName",
    "Provider": "ProviderName",
    "Publisher": "PublisherName",
    "ResourceID": "ResourceId",
    "ChargeType": "ChargeCategory",
}
"""Columns that version 1.0.0 of the validator wants under names of drafts, with their names in specification 1.0."""


def bills(rule: str = "in_proportion") -> Sequence[Bill]:
    about = EXPORT.about
    return [make_bill(EXPORT.ledger, EXPORT.runs, about, about.since, about.until, rule)]


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_validator_accepts_the_file(tmp_path: Path) -> None:
    if not VALIDATOR.exists():
        pytest.skip("needs the FOCUS validator in build/focus: `make system` puts it there")
    found = rows(focus_bill(bills()))
    assert validated(tmp_path, found) == "Validation succeeded."
    found[0]["ChargePeriodStart"] = "yesterday"
    found[1]["BilledCost"] = "much"
    said = validated(tmp_path, found)
    assert "BilledCost_IsDecimal failed" in said
    assert "ChargePeriodStart_IsDateTime failed" in said


def validated(folder: Path, found: list[dict[str, str]]) -> str:
    (folder / "focus_validator/utils").mkdir(parents=True, exist_ok=True)
    codes = folder / "focus_validator/utils/currency_codes.csv"
    codes.write_text("currency_codes\nUSD\n")  # which the package reads from the working directory
    with (folder / "bill.csv").open("w") as file:
        writer = csv.DictWriter(file, [*COLUMNS, *DRAFT_NAMES])
        writer.writeheader()
        writer.writerows(row | {draft: row[name] for draft, name in DRAFT_NAMES.items()} for row in found)
    command = [str(VALIDATOR), "--data-file", "bill.csv", "--validate-version", "1.0"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return (done.stdout + done.stderr).strip()


@pytest.mark.parametrize("rule", RULES)
def test_costs_add_up_to_the_bill_and_to_each_account(rule: str) -> None:
    (bill,) = bills(rule)
    found = rows(focus_bill([bill]))
    total = sum((Decimal(row["BilledCost"]) for row in found), Decimal(0))
    assert abs(total - Decimal(bill.total) / UNITS_PER_USD) <= Decimal("0.5e-9")
    by_account: dict[str, Decimal] = defaultdict(Decimal)
    for row in found:
        by_account[row["SubAccountId"]] += Decimal(row["BilledCost"])
    if rule == "apart":
        assert by_account[""] > 50
    else:
        assert by_account[""] == 0
    for account in ("nlp", "vision", "birch"):
        runs = [number for number, run in enumerate(bill.runs) if run.account == account]
        wanted = sum(bill.job_costs()[number] + bill.shares.of_runs[number] for number in runs)
        assert abs(by_account[account] - Decimal(wanted) / UNITS_PER_USD) < Decimal("1e-7")


def test_quantity_times_price_is_the_cost() -> None:
    for row in rows(focus_bill(bills())):
        if row["ChargeCategory"] == "Usage":
            product = Decimal(row["PricingQuantity"]) * Decimal(row["ListUnitPrice"])
            assert abs(product - Decimal(row["ListCost"])) < Decimal("1e-8"), row
        else:
            assert row["PricingQuantity"] == row["ListUnitPrice"] == row["PricingUnit"] == ""
