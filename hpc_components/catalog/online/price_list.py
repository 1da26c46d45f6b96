"""Defines the interface of a cloud's public price list, which is the cloud's `price_list` part."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from hpc_components.errors import HpcError


class NoKeyError(HpcError):
    """Raised if the price list needs a key. The message names the environment variable for it."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A price in US dollars from the list: per hour for a machine type, or in the catalogue's unit for another
    item."""

    usd: float
    source: str
    name: str | None = None
    """The machine type, or None if the price is for another item."""
    purchase: Literal["on_demand", "spot"] | None = None
    item: str | None = None
    """Name of an item other than a machine, e.g. `nat_gateway.hour`."""


class PriceList:
    """A price list that is read over the network.

    Methods raise PriceListError if the list can't be read completely, NotThereError if it doesn't contain the region,
    and NoKeyError if it needs a key that is missing.
    """

    def prices(self, region: str, names: Collection[str]) -> Iterable[Listed]:
        """Return the prices of these machine types and of all known items in a region.

        Names are left out if they aren't in the list, or if the list has several prices for them that can't be told
        apart.
        """
        raise NotImplementedError
