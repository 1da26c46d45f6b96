"""Price lists on this machine, with answers of the clouds' own shape."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from serving import HttpServer, serving

Asked = tuple[str, Mapping[str, str], Mapping[str, str]]
"""Path, query and headers of a request."""

Answer = tuple[int, bytes, int | None]
"""Status, content, and how many bytes of it come before the connection is cut; None for all."""

AWS_COLUMNS = (
    "SKU", "OfferTermCode", "RateCode", "TermType", "PriceDescription", "EffectiveDate", "StartingRange",
    "EndingRange", "Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption", "OfferingClass",
    "Product Family", "serviceCode", "Location", "Location Type", "Instance Type", "Current Generation", "vCPU",
    "Memory", "Tenancy", "Operating System", "License Model", "usageType", "operation", "CapacityStatus",
    "Pre Installed S/W", "Volume API Name", "MarketOption", "Region Code",
)  # fmt: skip
"""Those of EC2's list that say what a price is of, in their order."""


@contextmanager
def price_server(answer: Callable[[Asked], Answer]) -> Iterator[tuple[str, list[Asked]]]:
    """The address of a server, and what it was asked."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
            asked.append((parts.path, query, dict(self.headers)))
            status, content, cut = answer(asked[-1])
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            if content.startswith(b"\x1f\x8b"):
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(content[:cut])

        def log_message(self, *_: Any) -> None:
            pass

    with serving(HttpServer(("127.0.0.1", 0), Handler)) as server:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked


def aws_row(**told: str) -> dict[str, str]:
    """A row of EC2's list: a plain machine, but for what is told."""
    plain = {
        "SKU": "ABC", "TermType": "OnDemand", "StartingRange": "0", "EndingRange": "Inf", "Unit": "Hrs",
        "Currency": "USD", "Product Family": "Compute Instance", "serviceCode": "AmazonEC2", "Tenancy": "Shared",
        "Operating System": "Linux", "License Model": "No License required", "CapacityStatus": "Used",
        "Pre Installed S/W": "NA", "MarketOption": "OnDemand",
    }  # fmt: skip
    return plain | told


def aws_text(*rows: Mapping[str, str]) -> bytes:
    """The file: five lines about it, the names of the columns, the rows."""
    about = [
        ("FormatVersion", "v1.0"),
        ("Disclaimer", "This pricing list is for informational purposes only, and so on."),
        ("Publication Date", "2026-11-20T18:04:06Z"),
        ("Version", "20261120180406"),
        ("OfferCode", "AmazonEC2"),
    ]
    lines = [*about, AWS_COLUMNS, *([row.get(column, "") for column in AWS_COLUMNS] for row in rows)]
    return "".join(",".join(f'"{value}"' for value in line) + "\n" for line in lines).encode()


def azure_item(name: str, usd: float, **told: Any) -> dict[str, Any]:
    """A price as Azure's documentation shows one."""
    return {
        "currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": usd, "unitPrice": usd,
        "armRegionName": "eastus", "location": "US East", "effectiveStartDate": "2026-11-01T00:00:00Z",
        "meterId": "000a794b-bdb0-58be-a0cd-0c3a0f222923", "meterName": "HB176rs v4", "productId": "DZH318Z0BQPS",
        "skuId": "DZH318Z0BQPS/00TG", "availabilityId": None, "productName": "Virtual Machines HBv4 Series",
        "skuName": "HB176rs v4", "serviceName": "Virtual Machines", "serviceId": "DZH313Z7MMC8",
        "serviceFamily": "Compute", "unitOfMeasure": "1 Hour", "type": "Consumption",
        "isPrimaryMeterRegion": True, "armSkuName": name,
    } | told  # fmt: skip


def google_sku(
    description: str, usd: float, *, unit: str = "h", usage: str = "OnDemand", **told: Any
) -> dict[str, Any]:
    """A price as Google's documentation shows one."""
    units = int(usd)
    price = {"currencyCode": "USD", "units": str(units), "nanos": round((usd - units) * 1e9)}
    return {
        "name": "services/6F81-5844-456A/skus/0012-B7F2-DD14", "skuId": "0012-B7F2-DD14", "description": description,
        "category": {
            "serviceDisplayName": "Compute Engine", "resourceFamily": "Compute", "resourceGroup": "CPU",
            "usageType": usage,
        },
        "serviceRegions": ["us-central1"],
        "pricingInfo": [
            {
                "summary": "", "currencyConversionRate": 1, "effectiveTime": "2026-11-20T00:00:00Z",
                "pricingExpression": {
                    "usageUnit": unit, "displayQuantity": 1,
                    "tieredRates": [{"startUsageAmount": 0, "unitPrice": price}],
                },
            }
        ],
        "serviceProviderName": "Google",
    } | told  # fmt: skip


def as_json(document: Any) -> Answer:
    """The whole of a document."""
    return 200, json.dumps(document).encode(), None
