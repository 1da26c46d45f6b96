"""List prices of machines by region, and of what stands around them."""

from hpc_components.catalog._load import Record
from hpc_components.catalog.prices import Price

__all__ = ["regional_price", "service_price"]


def regional_price(name: str, region: str) -> Record | None:
    """The price record of a machine type in a region, on demand, where the table of regional prices has it."""
    raise NotImplementedError


def service_price(item: str, region: str) -> Price | None:
    """What something other than a machine costs, such as `nat_gateway.hour` or `lustre.250`."""
    raise NotImplementedError
