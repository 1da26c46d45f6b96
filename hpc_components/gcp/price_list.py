"""Reads Google Cloud's public price list, which is paginated and requires an API key.

Google lists prices for cores and memory rather than for machine types, so a type's price is the sum of its parts.
Source: Cloud Billing documentation, "Cloud Billing Catalog API", `services.skus.list`.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Literal
from urllib.parse import urlencode

from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.machines import machine
from hpc_components.catalog.online.http import NotThereError, PriceListError, read_json
from hpc_components.catalog.online.price_list import Listed, NoKeyError, PriceList

_SERVER = "https://cloudbilling.googleapis.com"
_COMPUTE_ENGINE = "6F81-5844-456A"
_KEY = "GOOGLE_API_KEY"
_MAX_PAGES = 500
_PART = re.compile(
    r"(?:Spot Preemptible )?(?:(?P<family>[A-Z]\d+[A-Z]?)(?: AMD| Arm)? Instance|Compute optimized)"
    r" (?P<part>Core|Ram) running in "
)
"""Matches SKU descriptions for the cores and memory of ordinary machines. `Compute optimized` means C2. Source:
Cyclenerd, google-cloud-pricing-cost-calculator, mapping.csv."""
_PURCHASES: dict[str, Literal["on_demand", "spot"]] = {"OnDemand": "on_demand", "Preemptible": "spot"}

_Parts = dict[tuple[str, str, str], set[float]]
"""Maps (family, part, purchase) to prices in USD per hour."""


class GcpPriceList(PriceList):
    """Prices of on-demand and spot machines.

    Machines with GPUs or local disks are left out, because their parts have different descriptions. Burstable
    machines are also left out.
    """

    def __init__(self, server: str = _SERVER) -> None:
        self._server = server

    def prices(self, region: str, names: Collection[str]) -> Iterable[Listed]:
        parts: _Parts = {}
        for sku in self._skus():
            if region in sku.get("serviceRegions", ()) and (found := _part(sku)):
                key, usd = found
                parts.setdefault(key, set()).add(usd)
        if not parts:
            raise NotThereError(f"Google Cloud's price list has no machines in {region}")
        for name in names:
            if known := machine("gcp", name):
                yield from _whole(known, parts)

    def _skus(self) -> Iterator[dict[str, Any]]:
        key = os.environ.get(_KEY)
        if not key:
            raise NoKeyError(
                "Google Cloud's price list needs an API key for the Cloud Billing API (no permissions "
                f"required); set {_KEY} to that key"
            )
        query = {"currencyCode": "USD", "pageSize": "5000"}
        for _ in range(_MAX_PAGES):
            address = f"{self._server}/v1/services/{_COMPUTE_ENGINE}/skus?{urlencode(query)}"
            page = read_json(address, {"X-Goog-Api-Key": key})
            yield from page.get("skus") or ()
            if not page.get("nextPageToken"):
                return
            query["pageToken"] = page["nextPageToken"]
        raise PriceListError(
            f"Google Cloud's price list has more than {_MAX_PAGES} pages, so reading was stopped and nothing was "
            "changed"
        )


def _part(sku: dict[str, Any]) -> tuple[tuple[str, str, str], float] | None:
    """Return ((family, part, purchase), USD per hour), or None if the SKU is not for the cores or memory of ordinary
    machines.
    """
    purchase = _PURCHASES.get(sku.get("category", {}).get("usageType", ""))
    found = _PART.match(sku.get("description", ""))
    if purchase is None or found is None or not sku.get("pricingInfo"):
        return None
    expression = sku["pricingInfo"][-1]["pricingExpression"]
    unit = "h" if found["part"] == "Core" else "GiBy.h"
    if expression.get("usageUnit") != unit or not expression.get("tieredRates"):
        return None
    rate = expression["tieredRates"][-1]["unitPrice"]
    usd = int(rate.get("units") or 0) + int(rate.get("nanos") or 0) / 1e9
    return ((found["family"] or "C2").lower(), found["part"], purchase), usd


def _whole(known: Machine, parts: _Parts) -> Iterator[Listed]:
    if known.accelerator or known.local_nvme_gb or known.burstable:
        return
    family = known.name.partition("-")[0]
    for purchase in _PURCHASES.values():
        core, ram = (parts.get((family, part, purchase), set()) for part in ("Core", "Ram"))
        if len(core) == len(ram) == 1:
            usd = known.vcpus * next(iter(core)) + known.memory_gib * next(iter(ram))
            source = "Cloud Billing Catalog API: cores and memory"
            yield Listed(name=known.name, purchase=purchase, usd=round(usd, 6), source=source)


PRICE_LIST = GcpPriceList()
