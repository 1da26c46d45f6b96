"""Defines the interface of a cloud's `price_list` part, which reads the cloud's public price list."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from hpc_components.errors import HpcError


class NoKeyError(HpcError):
    """Raised if the price list requires an API key. The message names the environment variable to set."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A list price in US dollars: per hour for machine types, or per catalogue unit for other items."""

    usd: float
    source: str
    name: str | None = None
    """Name of the machine type, or None if the price is for another item."""
    purchase: Literal["on_demand", "spot"] | None = None
    item: str | None = None
    """Name of an item that is not a machine, e.g. `nat_gateway.hour`. None for a machine type."""


class PriceList:
    """A price list that is read over the network.

    Methods raise PriceListError if the list can't be read completely, NotThereError if the list doesn't contain the
    region, and NoKeyError if a required key is missing.
    """

    def prices(self, region: str, names: Collection[str]) -> Iterable[Listed]:
        """Return the prices of these machine types and of all known items in a region.

        The result omits names that aren't in the list, and names for which the list has several prices that can't be
        told apart.
        """
        raise NotImplementedError
