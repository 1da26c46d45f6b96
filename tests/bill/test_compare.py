"""A ledger beside cost exports. Their columns are those of the vendors' documents (`source` of each format); the rows
are ours, because no real export may be published."""

import csv
import dataclasses
import gzip
import io
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from hpc_components.bill.bill import make_bill
from hpc_components.bill.compare.comparison import Comparison, compare, whole_days
from hpc_components.bill.compare.formats import FOCUS, MACHINES, NETWORK, STORAGE, SUPPORT, TAX, TRANSFER
from hpc_components.bill.compare.reading import CloudCosts, read_costs
from hpc_components.bill.compare.text import comparison_text
from hpc_components.bill.export import read_export
from hpc_components.bill.focus_bill import focus_bill
from hpc_components.bill.records import LedgerError
from hpc_components.cloud import CLOUDS, cloud_named
from tests.bill import records

FORMATS = [FOCUS, *(cloud_named(name).parts.cost_export for name in CLOUDS)]
ROOT = Path(__file__).parents[2]
DAYS = ("2026-11-02", "2026-11-03")
START = 1793577600  # 2026-11-02
RECORDS = (
    records.machine("i-1", START),
    records.ended("i-1", START + 2 * 86400),
    records.service(START, "0.5", "scratch", "storage"),
    records.service(START, "0.1", "NAT gateway", "network"),
)
LEDGER = records.ledger(records.price(START, "2"), *RECORDS)
ABOUT = dataclasses.replace(records.ABOUT, since=START * 1000, until=(START + 2 * 86400) * 1000)
"""48 USD of machines, 12 of storage and 2.40 of network a day."""


def table(rows: list[dict[str, Any]], *, packed: bool = False) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return gzip.compress(out.getvalue().encode()) if packed else out.getvalue().encode()


def cur2() -> bytes:
    def row(
        day: str, product: str, usage: str, cost: str, tag: str = "lab", kind: str = "Usage", listed: str = ""
    ) -> Any:
        return {
            "line_item_usage_start_date": f"{day}T03:00:00.000Z", "line_item_product_code": product,
            "line_item_usage_type": usage, "line_item_line_item_type": kind, "line_item_unblended_cost": cost,
            "pricing_public_on_demand_cost": listed, "line_item_currency_code": "USD",
            "resource_tags": json.dumps({"user_cluster_name": tag}) if tag else "",
        }  # fmt: skip

    return table([each for day in DAYS for each in _aws(day, row)], packed=True)


def cur_legacy() -> bytes:
    def row(
        day: str, product: str, usage: str, cost: str, tag: str = "lab", kind: str = "Usage", listed: str = ""
    ) -> Any:
        return {
            "lineItem/UsageStartDate": f"{day}T03:00:00Z", "lineItem/ProductCode": product,
            "lineItem/UsageType": usage, "lineItem/LineItemType": kind, "lineItem/UnblendedCost": cost,
            "pricing/publicOnDemandCost": listed, "lineItem/CurrencyCode": "USD",
            "resourceTags/user:ClusterName": tag,
        }  # fmt: skip

    return table([each for day in DAYS for each in _aws(day, row)])


def _aws(day: str, row: Callable[..., Any]) -> Iterator[Any]:
    yield row(day, "AmazonEC2", "USE2-BoxUsage:c7i.2xlarge", "27", listed="30")
    yield row(day, "AmazonEC2", "USE2-SpotUsage:c7i.12xlarge", "10", listed="33")
    yield row(day, "AmazonEC2", "USE2-EBS:VolumeUsage.gp3", "8", listed="8")
    yield row(day, "AmazonFSx", "USE2-Lustre:StorageUsage", "12", listed="12")
    yield row(day, "AmazonEC2", "USE2-NatGateway-Hours", "2.4", listed="2.4")
    yield row(day, "AmazonEC2", "USE2-DataTransfer-Out-Bytes", "0.9")
    yield row(day, "AmazonEC2", "USE2-BoxUsage:m7i.large", "100", tag="other")
    yield row(day, "AmazonEC2", "", "7.5", tag="", kind="Tax")


def azure() -> bytes:
    def row(day: str, category: str, sub: str, cost: str, tag: str = "lab", listed: str = "") -> Any:
        year, month, number = day.split("-")
        return {
            "date": f"{month}/{number}/{year}", "meterCategory": category, "meterSubCategory": sub,
            "meterName": "x", "chargeType": "Usage", "costInBillingCurrency": cost,
            "paygCostInBillingCurrency": listed or cost, "billingCurrency": "USD",
            "tags": f'"hpc:role": "compute","ClusterName": "{tag}"' if tag else "",
        }  # fmt: skip

    return table([
        each for day in DAYS for each in (
            row(day, "Virtual Machines", "HBv4 Series", "37", listed="40"),
            row(day, "Storage", "Premium SSD Managed Disks", "8"),
            row(day, "Storage", "Azure Files", "12"),
            row(day, "NAT Gateway", "", "2.4"),
            row(day, "Bandwidth", "Inter-Region", "0.9"),
            row(day, "Virtual Machines", "Dv5", "100", tag=""),
        )
    ])  # fmt: skip


def gcp() -> bytes:
    def row(
        day: str, service: str, sku: str, cost: float, tag: str = "lab", kind: str = "regular", off: float = 0
    ) -> Any:
        return {
            "usage_start_time": f"{day} 03:00:00 UTC", "service": {"id": "6F81", "description": service},
            "sku": {"id": "2E27", "description": sku}, "cost": cost, "cost_type": kind, "currency": "USD",
            "cost_at_list": cost, "labels": [{"key": "clustername", "value": tag}],
            "credits": [{"name": "Sustained usage", "amount": -off}] if off else [],
        }  # fmt: skip

    rows = [
        each for day in DAYS for each in (
            row(day, "Compute Engine", "C3 Instance Core running in Iowa", 40, off=3),
            row(day, "Compute Engine", "SSD backed PD Capacity", 8),
            row(day, "Cloud Filestore", "Filestore Capacity Zonal", 12),
            row(day, "Networking", "Cloud NAT Gateway: Uptime", 2.4),
            row(day, "Compute Engine", "Network Internet Data Transfer Out", 0.9),
            row(day, "Compute Engine", "N1 Core", 100, tag="other"),
            row(day, "Invoice", "Tax", 7.5, tag="", kind="tax"),
        )
    ]  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def focus() -> bytes:
    def row(
        day: str, category: str, name: str, cost: str, tag: str = "lab", kind: str = "Usage", listed: str = ""
    ) -> Any:
        return {
            "ChargePeriodStart": f"{day}T00:00:00Z", "ServiceCategory": category, "ServiceName": name,
            "ChargeDescription": name, "ChargeCategory": kind, "BilledCost": cost, "ListCost": listed or cost,
            "BillingCurrency": "USD", "Tags": json.dumps({"ClusterName": tag}),
        }  # fmt: skip

    return table([
        each for day in DAYS for each in (
            row(day, "Compute", "Virtual machines", "37", listed="40"),
            row(day, "Storage", "General Purpose (gp3) provisioned storage", "8"),
            row(day, "Storage", "Lustre", "12"),
            row(day, "Networking", "NAT gateway", "2.4"),
            row(day, "Networking", "Data transfer out", "0.9"),
            row(day, "Compute", "Virtual machines", "100", tag="other"),
            row(day, "Other", "VAT", "7.5", tag="", kind="Tax"),
        )
    ])  # fmt: skip


EXPORTS = {"cur2": cur2, "cur_legacy": cur_legacy, "azure": azure, "gcp": gcp, "focus": focus}


def compared(costs: CloudCosts) -> Comparison:
    return compare(LEDGER, ABOUT, ABOUT.since, ABOUT.until, costs)


@pytest.mark.parametrize("name", EXPORTS)
def test_charges_of_the_cluster_are_summed_by_group(name: str) -> None:
    costs = read_costs(EXPORTS[name](), "costs.csv", FORMATS, "lab")
    its = compared(costs)
    sums = {group: its.of_cloud(group) for group in (MACHINES, STORAGE, NETWORK, TRANSFER, TAX, SUPPORT)}
    assert sums == {
        MACHINES: 90, STORAGE: 24, NETWORK: Decimal("4.8"), TRANSFER: Decimal("1.8"), TAX: 0, SUPPORT: 0
    }  # fmt: skip
    assert costs.others[MACHINES] == 200
    if name != "azure":
        assert costs.others[TAX] == 15
    assert its.agrees
    assert [its.of_ledger(group) for group in (MACHINES, STORAGE, NETWORK)] == [96, 24, Decimal("4.8")]


def test_discounts_and_what_the_ledger_lacks_are_explained() -> None:
    said = comparison_text(compared(read_costs(cur2(), "costs.csv", FORMATS, "lab")), "lab", "costs.csv")
    assert ["machines", "and", "disks", "96.00", "90.00", "-6.00"] in [line.split() for line in said.splitlines()]
    assert "discount: machines and disks cost 93.8% of the list price, 96.00 USD" in said
    assert "data transfer: 1.80 USD; the ledger does not have it" in said
    assert "4 rows without the cluster's tag are not part of this: 215.00 USD, tax 15.00" in said


def test_a_missing_day_is_named_and_left_out() -> None:
    lines = cur_legacy().splitlines(keepends=True)
    its = compared(read_costs(b"".join(line for line in lines if b"-11-03" not in line), "c", FORMATS, "lab"))
    assert its.missing == ("2026-11-03",)
    assert its.of_ledger(MACHINES) == 48
    assert its.agrees
    assert "not in the file, and not compared: 2026-11-03" in comparison_text(its, "lab", "c")


def test_rates_of_a_contract_agree_with_what_was_charged() -> None:
    listed = cur_legacy()
    for cost, of_list in ((b",27,30,", b",27,90,"), (b",10,33,", b",10,33,"), (b",8,8,", b",8,24,")):
        listed = listed.replace(cost, of_list)
    costs = read_costs(listed, "c", FORMATS, "lab")
    assert [group for group, _ in compared(costs).unexplained()] == [MACHINES]
    rates = records.ledger(records.price(START, "1.875", basis="contract"), *RECORDS)
    its = compare(rates, ABOUT, ABOUT.since, ABOUT.until, costs)
    assert its.of_ledger(MACHINES) == its.of_cloud(MACHINES) == 90
    assert its.agrees
    double = compare(
        records.ledger(records.price(START, "3.75", basis="contract"), *RECORDS),
        ABOUT,
        ABOUT.since,
        ABOUT.until,
        costs,
    )
    assert "machines and disks: -90.00 USD at the contract's rates is not explained" in comparison_text(
        double, "lab", "c"
    )


@pytest.mark.parametrize(
    ("since", "until", "days"), [(0, 2, (0, 2)), (0.1, 2, (1, 2)), (0, 1.9, (0, 1)), (0.1, 0.9, (1, 0))]
)
def test_days_that_the_ledger_has_in_part_are_not_compared(since: float, until: float, days: tuple[int, int]) -> None:
    about = dataclasses.replace(ABOUT, since=_at(since), until=_at(until))
    assert whole_days(about, _at(0), _at(5)) == (_at(days[0]), _at(days[1]))


def _at(day: float) -> int:
    return round((START + day * 86400) * 1000)


def test_an_unexplained_difference_does_not_agree() -> None:
    more = cur_legacy() + cur_legacy().splitlines(keepends=True)[1]
    its = compared(read_costs(more, "c", FORMATS, "lab"))
    assert not its.agrees
    assert list(its.unexplained()) == [(MACHINES, 126 - 96)]


def test_our_own_focus_file_agrees_with_its_ledger() -> None:
    export = read_export("example", lambda name: (ROOT / "examples/bill/export" / name).read_bytes())
    about = export.about
    text = focus_bill([make_bill(export.ledger, export.runs, about, about.since, about.until, "apart")])
    costs = read_costs(text.encode(), "bill.csv", FORMATS, about.cluster)
    assert (costs.other_rows, costs.title) == (0, "FOCUS")
    assert round(sum(costs.costs.values()), 2) == Decimal("142.15")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PAR1\x00", "is a Parquet file"),
        (b"a,b\n1,2\n", "is not a cost export that is known: FOCUS, cost and usage report"),
        (b"", "has no rows"),
        (b"\x1f\x8bno", "can't be read as CSV or JSON lines"),
        (b"{\n", "is not JSON lines"),
        (gcp() + b"5\n", "is not JSON lines (a line is not a JSON object)"),
        (gcp() + b'{"a":' * 100_000, "is not JSON lines"),
        (gcp().replace(b'"amount": -3', b'"amount": "NaN"'), "row 2: 'NaN' is not an amount"),
        (
            gcp().replace(b'[{"name": "Sustained usage", "amount": -3}]', b"[5]"),
            "the credits are not a list of objects",
        ),
        (cur_legacy().replace(b",27,", b",1e40,"), "row 2: '1e40' is not an amount"),
        (cur_legacy().replace(b"AmazonFSx", b"\xff"), "can't be read as CSV or JSON lines: 'utf-8' codec"),
        (cur_legacy().replace(b"USD", b"EUR"), "row 2: the currency is 'EUR'"),
        (cur_legacy().replace(b",27,", b",much,"), "row 2: 'much' is not an amount"),
        (cur_legacy().replace(b"2026-11-02", b"yesterday"), "row 2: 'yesterdayT03:00:00Z' is not a day"),
    ],
)
def test_a_file_that_is_not_a_cost_export_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(LedgerError) as refused:
        read_costs(content, "c.csv", FORMATS, "lab")
    assert said in str(refused.value)
