"""Reads Azure's public price list, which is paginated and requires no account.

Source: Azure documentation, "Azure Retail Prices overview" (Cost Management REST API).
"""

from collections.abc import Collection, Iterable
from typing import Any
from urllib.parse import quote, urlsplit

from hpc_components.catalog.online.http import PriceListError, read_json
from hpc_components.catalog.online.price_list import Listed, PriceList

_SERVER = "https://prices.azure.com"
_OTHER_PRODUCTS = (" Win", "Cloud Services", "CloudServices")
"""Substrings that identify products other than Linux machines. Such products are skipped. Source: skypilot's
fetch_azure.py."""
_MAX_PAGES = 500


class AzurePriceList(PriceList):
    """On-demand and spot prices of machines."""

    def __init__(self, server: str = _SERVER) -> None:
        self._server = server

    def prices(self, region: str, names: Collection[str]) -> Iterable[Listed]:
        asked = f"serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armRegionName eq '{region}'"
        url: str | None = f"{self._server}/api/retail/prices?$filter={quote(asked)}"
        found: dict[tuple[str, str], set[float]] = {}
        for _ in range(_MAX_PAGES):
            if url is None:
                break
            page = read_json(url)
            for item in page.get("Items") or ():
                if item.get("armSkuName") in names and (purchase := _purchase(item)):
                    found.setdefault((item["armSkuName"], purchase), set()).add(item["retailPrice"])
            url = page.get("NextPageLink") or None
            if url and urlsplit(url).hostname != urlsplit(self._server).hostname:
                raise PriceListError(
                    "the next page of Azure's price list is on a different server, which is not trusted; "
                    "nothing was changed"
                )
        else:
            raise PriceListError(f"Azure's price list has more than {_MAX_PAGES} pages; nothing was changed")
        for (name, purchase), prices in found.items():
            if len(prices) == 1:
                (usd,) = prices
                yield Listed(
                    name=name,
                    purchase="spot" if purchase == "spot" else "on_demand",
                    usd=usd,
                    source="Azure Retail Prices API",
                )


def _purchase(item: dict[str, Any]) -> str | None:
    """Return the purchase option of a price list item, or None if the item is not the hourly price of a plain Linux
    machine.
    """
    is_hour = item.get("unitOfMeasure") == "1 Hour" and item.get("currencyCode") == "USD"
    is_plain = item.get("type") == "Consumption" and (item.get("retailPrice") or 0) > 0
    other = any(word in item.get("productName", "") for word in _OTHER_PRODUCTS)
    if not is_hour or not is_plain or other or "Low Priority" in item.get("skuName", ""):
        return None
    return "spot" if item.get("skuName", "").endswith(" Spot") else "on_demand"


PRICE_LIST = AzurePriceList()
