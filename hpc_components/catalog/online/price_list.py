"""The interface of a cloud's public price list, its part `price_list`."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from hpc_components.errors import HpcError

__all__ = ["Listed", "NoKeyError", "PriceList"]


class NoKeyError(HpcError):
    """The price list is for holders of a key. The message names the environment variable."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """One price of the list, in US dollars: of a machine type by the hour, or of an item in the catalogue's unit."""

    usd: float
    source: str
    name: str | None = None
    """The machine type."""
    purchase: Literal["on_demand", "spot"] | None = None
    item: str | None = None
    """What it is, if no machine: `nat_gateway.hour`."""


class PriceList:
    """Reads the prices of one region. PriceListError if it can't be read as a whole, NotThereError for a region that
    it does not have; NoKeyError without the key that it needs.
    """

    def prices(self, region: str, names: Collection[str]) -> Iterable[Listed]:
        """The prices of these machine types, and of the other items that it knows.

        What the list has not, or has at several prices that this can't tell apart, is left out.
        """
        raise NotImplementedError
