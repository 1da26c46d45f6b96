"""The interface of a cloud's public price list, its part `price_list`."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from hpc_components.errors import HpcError


class NoKeyError(HpcError):
    """The price list needs a key. The message names the environment variable."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """One price of the list, in US dollars: of a machine type per hour, or of an item in the catalogue's unit."""

    usd: float
    source: str
    name: str | None = None
    """The machine type."""
    purchase: Literal["on_demand", "spot"] | None = None
    item: str | None = None
    """Name of an item other than a machine: `nat_gateway.hour`."""


class PriceList:
    """A price list over the network.

    PriceListError if it can't be read completely, NotThereError for a region that it does not have, NoKeyError
    without the key that it needs.
    """

    def prices(self, region: str, names: Collection[str]) -> Iterable[Listed]:
        """Return the prices of these machine types in a region, and those of all known items.

        A name that the list lacks, or has at several prices that can't be told apart, is left out.
        """
        raise NotImplementedError
