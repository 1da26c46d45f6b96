"""`hpc bill`."""

import csv
import io
import json
import shutil
import tarfile
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from hpc_components.bill import bill
from hpc_components.bill.sharing import RULES
from hpc_components.bill.views import BY
from hpc_components.cli import billing
from tests.cli.preloaded import ROOT
from tests.cli.running import error, hpc

EXAMPLE = ROOT / "examples/bill/export"


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("bill") / "export.tar.gz"
    with tarfile.open(file, "w:gz") as tar:
        for each in sorted(EXAMPLE.iterdir()):
            tar.add(each, f"university/{each.name}")
    return str(file)


def test_a_packed_export_and_a_folder_have_the_same_bill(packed: str) -> None:
    done = hpc("bill", packed)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == hpc("bill", str(EXAMPLE)).stdout
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["total", "68", "58.64", "83.37", "58.78", "142.15"] in rows


@pytest.mark.parametrize("by", ["organization", "account", "user", "queue", "job"])
def test_rows_add_up_to_the_total(by: str) -> None:
    document = json.loads(hpc("bill", str(EXAMPLE), "--by", by, "--format", "json").stdout)
    assert document["bill"] == 1
    for key in ("job_costs", "shared", "total"):
        assert sum(Decimal(row[key]) for row in document["rows"]) == Decimal(document["total"][key])
    assert sum(Decimal(cost["usd"]) for cost in document["shared"]["costs"]) == Decimal(document["total"]["shared"])
    assert round(Decimal(document["total"]["total"]), 2) == Decimal("142.15")


def test_an_organization_gets_its_own_bill() -> None:
    done = hpc("bill", str(EXAMPLE), "--organization", "acme")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert {row[0] for row in rows if row and row[0] in ("nlp", "vision", "birch")} == {"nlp", "vision"}
    whole = hpc("bill", str(EXAMPLE)).stdout
    (own,) = (line.split()[1:] for line in whole.splitlines() if line.startswith("acme"))
    assert ["total", *own] in rows


def test_days_add_up_to_the_whole() -> None:
    def total(*period: str) -> Decimal:
        document = json.loads(hpc("bill", str(EXAMPLE), "--format", "json", *period).stdout)
        return Decimal(document["total"]["total"])

    first = total("--until", "2026-11-02T17:30")
    second = total("--since", "2026-11-02T17:30")
    assert abs(first + second - total()) <= Decimal("1e-9")
    assert total("--month", "2026-11") == total()


def test_lines_are_written_to_a_file(tmp_path: Path) -> None:
    out = tmp_path / "bill.csv"
    done = hpc("bill", str(EXAMPLE), "--format", "csv", "--out", str(out))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"wrote {out}\n")
    lines = list(csv.DictReader(io.StringIO(out.read_text())))
    assert round(sum(Decimal(line["total_usd"]) for line in lines), 2) == Decimal("142.15")
    assert sum(Decimal(line["shared_usd"]) for line in lines) == 0


def test_a_focus_file_has_a_billing_period_for_each_month() -> None:
    lines = list(csv.DictReader(io.StringIO(hpc("bill", str(EXAMPLE), "--format", "focus").stdout)))
    assert {line["BillingPeriodStart"] for line in lines} == {"2026-11-01T00:00:00Z"}
    assert round(sum(Decimal(line["BilledCost"]) for line in lines), 2) == Decimal("142.15")


def test_a_focus_file_begins_with_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    periods = []
    make = bill.make_bill
    monkeypatch.setattr(bill, "make_bill", lambda *its, **rule: periods.append(its[3:]) or make(*its, **rule))
    done = CliRunner().invoke(billing.bill, [str(EXAMPLE), "--since", "1970-01-01", "--format", "focus"])
    assert done.exit_code == 0
    assert len(periods) == 1


@pytest.mark.parametrize("format_", ["text", "csv", "json", "focus"])
def test_names_do_not_control_the_terminal(format_: str, tmp_path: Path) -> None:
    export, out = tmp_path / "export", tmp_path / "bill"
    shutil.copytree(EXAMPLE, export)
    jobs, about = export / "jobs.psv", export / "about.json"
    jobs.write_text(jobs.read_text().replace("|lammps", "|lammps\x1b[31m"))
    about.write_text(about.read_text().replace('"university"', '"uni\\u009b\\ud800"'))
    assert hpc("bill", str(export), "--format", format_, "--out", str(out)).returncode == 0
    written = out.read_text(encoding="utf-8")
    assert not {"\x1b", "\x9b"} & set(written)
    assert "\\ud800" in written or format_ == "csv"


def test_names_of_jobs_become_no_formulas(tmp_path: Path) -> None:
    export = tmp_path / "export"
    shutil.copytree(EXAMPLE, export)
    jobs = (export / "jobs.psv").read_text()
    (export / "jobs.psv").write_text(jobs.replace("|lammps", "|=HYPERLINK(1)"))
    said = hpc("bill", str(export), "--format", "csv").stdout
    assert "'=HYPERLINK(1)" in said
    assert ",=HYPERLINK" not in said


CHARGES = """\
lineItem/UsageStartDate,lineItem/ProductCode,lineItem/UsageType,lineItem/LineItemType,lineItem/UnblendedCost,resourceTags/user:ClusterName
2026-11-02T00:00:00Z,AmazonEC2,USE2-BoxUsage:hpc6a.48xlarge,Usage,{machines},university
2026-11-03T00:00:00Z,AmazonFSx,USE2-Lustre,Usage,16.70,university
2026-11-03T00:00:00Z,AmazonEC2,USE2-DataTransfer-Out-Bytes,Usage,2.5,university
"""


@pytest.mark.parametrize(("machines", "code"), [("125.45", 0), ("110", 1)])
def test_charges_of_the_cloud_are_compared(machines: str, code: int, tmp_path: Path) -> None:
    charges = tmp_path / "cur.csv"
    charges.write_text(CHARGES.format(machines=machines))
    done = hpc("bill", str(EXAMPLE), "--compare", str(charges))
    assert (done.returncode, done.stderr) == (code, "")
    assert "data transfer: 2.50 USD; the ledger does not have it" in done.stdout
    assert ("is not explained" in done.stdout) == bool(code)


def test_wrong_options_are_refused(packed: str, tmp_path: Path) -> None:
    assert "there is no organization 'amce'; the organizations are acme, birch, cedar" in error(
        "bill", packed, "--organization", "amce"
    )
    assert "the export covers 2026-11-02 00:00 to 2026-11-04 00:00 UTC, nothing of 2026-12-01" in error(
        "bill", packed, "--month", "2026-12"
    )
    assert "use either --month or --since" in error("bill", packed, "--month", "2026-11", "--since", "2026-11-02")
    assert "the period ends before it begins" in error("bill", packed, "--until", "2026-11-01")
    assert "leave out --by" in error("bill", packed, "--format", "focus", "--by", "user")
    assert "leave out --by" in error("bill", packed, "--format", "csv", "--by", "user")
    charges = tmp_path / "cur.csv"
    charges.write_text(CHARGES.format(machines=1).replace("university", "other"))
    assert "none of 3 rows has the tag ClusterName with the value 'university'" in error(
        "bill", packed, "--compare", str(charges)
    )
    assert "leave out --format" in error("bill", packed, "--compare", str(charges), "--format", "json")


def test_a_time_without_records_is_refused(packed: str) -> None:
    said = hpc("bill", packed, "--until", "9999-12-31T23:59-14:00").stderr
    assert "there are no records of the year 9999" in said


def test_a_day_that_is_not_over_is_not_compared(tmp_path: Path) -> None:
    charges = tmp_path / "cur.csv"
    charges.write_text(CHARGES.format(machines="125.45"))
    assert (
        "2026-11-02 to 2026-11-02 UTC"
        in hpc("bill", str(EXAMPLE), "--until", "2026-11-03T10:00", "--compare", str(charges)).stdout
    )
    assert "the export has none of this period" in error(
        "bill", str(EXAMPLE), "--until", "2026-11-02T10:00", "--compare", str(charges)
    )


def test_all_rows_and_rules_are_among_the_options() -> None:
    assert (BY, tuple(RULES)) == (billing.BY, billing.SHARED)


@pytest.mark.parametrize("month", ["2026-13", "november", "26-11"])
def test_a_wrong_month_is_refused(month: str, packed: str) -> None:
    assert f"'{month}' is not a month, such as 2026-11" in hpc("bill", packed, "--month", month).stderr


def test_what_is_not_an_export_is_refused(tmp_path: Path) -> None:
    assert "can't read" in error("bill", str(tmp_path / "missing.tar.gz"))
    assert "No such file or directory" in error("bill", str(tmp_path))
    (tmp_path / "text").write_text("text")
    assert "is not an export of `hpc-elastic ledger export`" in error("bill", str(tmp_path / "text"))
    with tarfile.open(tmp_path / "part.tar.gz", "w:gz") as tar:
        tar.add(EXAMPLE / "about.json", "about.json")
    assert "it has no jobs.psv, ledger.jsonl" in error("bill", str(tmp_path / "part.tar.gz"))
    shutil.copytree(EXAMPLE, tmp_path / "export")
    with (tmp_path / "export/ledger.jsonl").open("a") as ledger:
        ledger.write('{"kind": "registered"}\n')
    assert "export/ledger.jsonl:143: the record 'registered' needs a text as 'id', not None" in error(
        "bill", str(tmp_path / "export")
    )
