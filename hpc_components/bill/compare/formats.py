"""What is known of a cost export: the names of its columns, and what its charges are for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

MACHINES, STORAGE, NETWORK = "machines and disks", "file systems and buckets", "network"
TRANSFER, TAX, SUPPORT, OTHER = "data transfer", "tax", "support", "other"
DISCOUNTS = "credits and discounts"

IN_LEDGER = (MACHINES, STORAGE, NETWORK)
"""Groups of charges that a ledger has too."""

GROUPS = (*IN_LEDGER, TRANSFER, DISCOUNTS, TAX, SUPPORT, OTHER)


@dataclass(frozen=True)
class CostExport:
    """A format of cost exports.

    Names of columns are compared without regard to case and signs: `lineItem/UnblendedCost` is
    `line_item_unblended_cost`.
    """

    title: str
    source: str
    """Where the columns are documented."""
    day: tuple[str, ...]
    """Names of the column with the day or time of the usage, the first of them that the file has."""
    cost: tuple[str, ...]
    service: tuple[str, ...]
    groups: tuple[tuple[str, str], ...]
    """(pattern, group): the first pattern found in service, item and kind of a charge decides its group."""
    item: tuple[str, ...] = ()
    """Columns that say more precisely what was used. All of them are read."""
    kind: tuple[str, ...] = ()
    """Column with the kind of the charge: usage, tax, a credit."""
    list_cost: tuple[str, ...] = ()
    """Column with the cost at list price, if there is one."""
    dynamic: str = ""
    """Pattern of charges whose list price is that of another way of buying: those of spot machines."""
    currency: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Column with all tags, as JSON."""
    tag_columns: tuple[str, ...] = ()
    """Beginnings of columns that have one tag each, whose name follows."""
    credits: tuple[str, ...] = ()
    """Column with credits of the row, as a JSON list of objects with `amount`."""

    def fits(self, columns: Iterable[str]) -> bool:
        """Return whether a file with these columns, in `plain` writing, has this format."""
        known = set(columns)
        return all(known & set(map(plain, names)) for names in (self.day, self.cost, self.service))

    def group_of(self, text: str) -> str:
        return next((group for pattern, group in self.groups if re.search(pattern, text, re.I)), OTHER)


def plain(name: str) -> str:
    """Return a column's name in small letters and digits."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


FOCUS = CostExport(
    title="FOCUS",
    source="FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec, tag v1.0, specification/columns",
    day=("ChargePeriodStart",),
    cost=("BilledCost",),
    service=("ServiceCategory",),
    item=("ServiceName", "SkuMeter", "ChargeDescription"),
    kind=("ChargeCategory",),
    list_cost=("ListCost",),
    currency=("BillingCurrency",),
    tags=("Tags",),
    groups=(
        (r"\|Tax$", TAX),
        (r"\|(Credit|Adjustment)$", DISCOUNTS),
        (r"support", SUPPORT),
        (r"data.?transfer|egress|bandwidth", TRANSFER),
        (r"^Compute\b", MACHINES),
        (r"\bdisks?\b|volume|provisioned storage|elastic block", MACHINES),
        (r"^Storage\b", STORAGE),
        (r"^Networking\b", NETWORK),
    ),
)
