"""A bill in the format of the FinOps Open Cost and Usage Specification (FOCUS), version 1.0, as CSV.

Source: FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec, tag v1.0, specification/columns.
"""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal

from hpc_components.bill.amounts import decimal, shown
from hpc_components.bill.bill import JOB, Bill, Charge, ServiceCharge
from hpc_components.bill.wording import iso, month_of

VERSION = "1.0"
NANO = 9

COLUMNS = (
    "AvailabilityZone", "BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency",
    "BillingPeriodEnd", "BillingPeriodStart", "ChargeCategory", "ChargeClass", "ChargeDescription",
    "ChargeFrequency", "ChargePeriodEnd", "ChargePeriodStart", "CommitmentDiscountCategory",
    "CommitmentDiscountId", "CommitmentDiscountName", "CommitmentDiscountStatus", "CommitmentDiscountType",
    "ConsumedQuantity", "ConsumedUnit", "ContractedCost", "ContractedUnitPrice", "EffectiveCost",
    "InvoiceIssuerName", "ListCost", "ListUnitPrice", "PricingCategory", "PricingQuantity", "PricingUnit",
    "ProviderName", "PublisherName", "RegionId", "RegionName", "ResourceId", "ResourceName", "ResourceType",
    "ServiceCategory", "ServiceName", "SkuId", "SkuPriceId", "SubAccountId", "SubAccountName", "Tags",
)  # fmt: skip

_CATEGORIES = {"head": "Compute", "login": "Compute", "storage": "Storage", "network": "Networking"}

_HOUR_MS = 3_600_000

Row = Mapping[str, str]


def focus_bill(bills: Sequence[Bill]) -> str:
    """Return bills, each of a period in one calendar month, as one file.

    Each charge is a row: of a run of a job on one kind of machine, of the boot or idle time of a queue, of a service.
    Where shared costs are divided, rows of the category `Adjustment` move them to accounts and users. All costs of a
    row are the same amount, at the price of the ledger.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for bill in bills:
        writer.writerows(_rows(bill))
    return out.getvalue()


def _rows(bill: Bill) -> Iterator[Row]:
    frame = _frame(bill)
    amounts = shown([*(each.units for each in bill.charges), *(each.units for each in bill.services)], NANO)
    for charge, amount in zip(bill.charges, amounts, strict=False):
        yield frame | _costs(amount) | _priced(amount, charge.node_ms) | _machines(bill, charge)
    for service, amount in zip(bill.services, amounts[len(bill.charges) :], strict=True):
        yield frame | _costs(amount) | _priced(amount, service.until - service.since) | _service(bill, service)
    parts = _divided(bill)
    moved = shown(list(parts.values()), NANO)
    for (organization, account, user), amount in zip(parts, moved, strict=True):
        tags = {"organization": organization, "account": account, "user": user}
        yield frame | _costs(amount) | _adjustment(bill, "Part of the shared costs", account, tags)
    if any(moved):
        yield frame | _costs(-sum(moved)) | _adjustment(bill, "Shared costs divided among accounts", "", {})


def _frame(bill: Bill) -> dict[str, str]:
    start, end = month_of(bill.since)
    name = bill.about.cluster
    return {
        "BillingAccountId": name,
        "BillingAccountName": name,
        "BillingCurrency": "USD",
        "BillingPeriodStart": iso(start),
        "BillingPeriodEnd": iso(end),
        "ChargePeriodStart": iso(bill.since),
        "ChargePeriodEnd": iso(bill.until),
        "InvoiceIssuerName": name,
        "ProviderName": bill.about.cloud or name,
        "PublisherName": bill.about.cloud or name,
        "RegionId": bill.about.region,
        "RegionName": bill.about.region,
    }


def _costs(amount: int) -> dict[str, str]:
    return dict.fromkeys(("BilledCost", "ContractedCost", "EffectiveCost", "ListCost"), decimal(amount, NANO))


def _priced(amount: int, milliseconds: int) -> dict[str, str]:
    """Return the quantity in hours and the price of an hour: where prices changed, its mean."""
    quantity = (Decimal(milliseconds) / _HOUR_MS).quantize(Decimal("1e-9"), ROUND_HALF_EVEN)
    price = (Decimal(amount).scaleb(-NANO) / quantity).quantize(Decimal("1e-12")) if quantity else Decimal(0)
    return {
        "ChargeCategory": "Usage",
        "ChargeFrequency": "Usage-Based",
        "ConsumedQuantity": f"{quantity:f}",
        "ConsumedUnit": "Hours",
        "PricingQuantity": f"{quantity:f}",
        "PricingUnit": "Hours",
        "ListUnitPrice": f"{price:f}",
        "ContractedUnitPrice": f"{price:f}",
    }


def _machines(bill: Bill, charge: Charge) -> dict[str, str]:
    tariff = charge.tariff
    row = {
        "AvailabilityZone": tariff.zone,
        "PricingCategory": "Dynamic" if tariff.purchase == "spot" else "Standard",
        "ServiceCategory": "Compute",
        "ServiceName": "Compute nodes",
        "ResourceType": "Node",
        "SkuId": tariff.machine,
        "SkuPriceId": "/".join((tariff.machine, tariff.zone, tariff.purchase, tariff.basis or "unknown")),
    }
    tags: dict[str, str] = {"kind": charge.kind, "queue": tariff.queue}
    if charge.estimated:
        tags["estimated"] = "true"
    if charge.kind != JOB or charge.run is None:
        description = f"{charge.kind.capitalize()} time of queue {tariff.queue}"
        return row | {"ChargeDescription": description, "Tags": _tags(bill, tags)}
    run = bill.runs[charge.run]
    tags |= {
        "organization": bill.about.organizations().get(run.account) or "",
        "account": run.account,
        "user": run.user,
        "job": run.id,
        "qos": run.qos,
    }
    end = bill.until if run.end is None else min(run.end, bill.until)
    return row | {
        "ChargeDescription": f"Job {run.id} of {run.user} on {tariff.machine}",
        "ChargePeriodStart": iso(max(run.start, bill.since)),
        "ChargePeriodEnd": iso(end),
        "SubAccountId": run.account,
        "SubAccountName": run.account,
        "Tags": _tags(bill, tags),
    }


def _service(bill: Bill, charge: ServiceCharge) -> dict[str, str]:
    service = charge.service
    return {
        "ChargeDescription": service.what,
        "ChargePeriodStart": iso(charge.since),
        "ChargePeriodEnd": iso(charge.until),
        "PricingCategory": "Standard",
        "ServiceCategory": _CATEGORIES.get(service.group, "Other"),
        "ServiceName": service.what,
        "SkuId": service.what,
        "SkuPriceId": service.what,
        "Tags": _tags(bill, {"kind": "service", "group": service.group}),
    }


def _adjustment(bill: Bill, description: str, account: str, tags: Mapping[str, str]) -> dict[str, str]:
    return {
        "ChargeCategory": "Adjustment",
        "ChargeDescription": description,
        "ChargeFrequency": "Recurring",
        "ServiceCategory": "Other",
        "ServiceName": "Shared costs",
        "SubAccountId": account,
        "SubAccountName": account,
        "Tags": _tags(bill, {"kind": "shared", **tags}),
    }


def _tags(bill: Bill, tags: Mapping[str, str]) -> str:
    return json.dumps({"ClusterName": bill.about.cluster, **{key: its for key, its in tags.items() if its}})


def _divided(bill: Bill) -> Mapping[tuple[str, str, str], int]:
    """Return the parts of the shared costs by organization, account and user."""
    organizations = bill.about.organizations()
    sums: dict[tuple[str, str, str], int] = defaultdict(int)
    for run, part in zip(bill.runs, bill.shares.of_runs, strict=True):
        if part:
            sums[organizations.get(run.account) or "", run.account, run.user] += part
    for party, part in bill.shares.of_parties.items():
        known = party in organizations.values()
        sums[party if known else "", "" if known else party, ""] += part
    return dict(sorted(sums.items()))
