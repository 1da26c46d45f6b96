"""Reads AWS's public price list, which consists of one CSV file per service and region and requires no account.

Each file begins with five lines of metadata, followed by the column names. Source: AWS Billing user guide, "Reading
the service price list file for an AWS service".
"""

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from hpc_components.catalog.online.http import NotThereError, PriceListError, text_lines
from hpc_components.catalog.online.price_list import Listed, PriceList

_SERVER = "https://pricing.us-east-1.amazonaws.com"
_NO_SUCH_FILE = (403, 404)
_METADATA_LINES = 5
_LINUX = {
    "TermType": "OnDemand",
    "Currency": "USD",
    "Unit": "Hrs",
    "Operating System": "Linux",
    "Tenancy": "Shared",
    "CapacityStatus": "Used",
    "Pre Installed S/W": "NA",
    "License Model": "No License required",
}
"""Column values that identify an ordinary on-demand machine. Source: skypilot, fetch_aws.py."""
_OTHER_MARKETS = ("CapacityBlock",)
_ITEMS = {
    ("NAT Gateway", "NatGateway-Hours"): "nat_gateway.hour",
    ("NAT Gateway", "NatGateway-Bytes"): "nat_gateway.data",
    ("Storage", "EBS:VolumeUsage.gp3"): "ebs.gp3.storage",
    ("Storage", "EBS:VolumeUsage.gp2"): "ebs.gp2.storage",
    ("Storage", "EBS:VolumeUsage.piops"): "ebs.io1.storage",
    ("Storage", "EBS:VolumeUsage.io2"): "ebs.io2.storage",
    ("Storage", "EBS:VolumeUsage.st1"): "ebs.st1.storage",
    ("Storage", "EBS:VolumeUsage.sc1"): "ebs.sc1.storage",
    ("System Operation", "EBS:VolumeP-IOPS.gp3"): "ebs.gp3.iops",
    ("System Operation", "EBS:VolumeP-IOPS.piops"): "ebs.io1.iops",
}
"""Maps (product family, suffix of the usage type) to price items. Source: infracost, internal/resources/aws."""


class AwsPriceList(PriceList):
    """EC2's price list for each region, with prices of on-demand machines, NAT gateways and EBS, but no spot
    prices.
    """

    def __init__(self, server: str = _SERVER) -> None:
        self._server = server

    def prices(self, region: str, names: Collection[str]) -> Iterable[Listed]:
        found: dict[tuple[str, str], set[float]] = {}
        about = ""
        try:
            with text_lines(f"{self._server}/offers/v1.0/aws/AmazonEC2/current/{region}/index.csv") as lines:
                told = dict(row[:2] for row in csv.reader(islice(lines, _METADATA_LINES)) if len(row) > 1)
                about = f"AWS price list, AmazonEC2 of {told.get('Publication Date', 'no date')}"
                for row in csv.DictReader(lines):
                    for key, usd in _priced(row, names):
                        found.setdefault(key, set()).add(usd)
        except PriceListError as error:
            if error.status in _NO_SUCH_FILE:
                raise NotThereError(f"AWS doesn't publish a price list for region {region}") from None
            raise
        except csv.Error as error:
            raise PriceListError(f"AWS's price list for {region} can't be parsed: {error}; try again later") from None
        for (kind, key), prices in found.items():
            if len(prices) == 1:
                (usd,) = prices
                if kind == "item":
                    yield Listed(item=key, usd=usd, source=about)
                else:
                    yield Listed(name=key, purchase="on_demand", usd=usd, source=about)


def _priced(row: Mapping[str, str], names: Collection[str]) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield the key and price in `row`, if the row describes a requested machine type or a known price item."""
    if row.get("TermType") != "OnDemand" or row.get("Currency") != "USD":
        return
    key: tuple[str, str] | None = None
    if row.get("Instance Type") in names:
        plain = all(_said(row, column) == value for column, value in _LINUX.items())
        if plain and row.get("MarketOption") not in _OTHER_MARKETS:
            key = ("machine", row["Instance Type"])
    elif row.get("StartingRange") in ("0", ""):
        family, usage = row.get("Product Family", ""), row.get("usageType", "")
        item = next((item for (of, end), item in _ITEMS.items() if of == family and _ends(usage, end)), None)
        key = ("item", item) if item else None
    usd = float(row.get("PricePerUnit") or 0)
    if key and usd:
        yield key, usd


def _said(row: Mapping[str, str], column: str) -> str:
    return row.get(column) or "NA"


def _ends(usage: str, end: str) -> bool:
    """Return whether `usage` equals `end`, with or without a region prefix, as in `USE2-NatGateway-Hours`."""
    return usage == end or usage.endswith(f"-{end}")


PRICE_LIST = AwsPriceList()
