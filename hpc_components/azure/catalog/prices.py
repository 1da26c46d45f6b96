"""List prices by region, of machines and of other services such as `lustre.250`."""

from hpc_components.azure.catalog.disks import billed_gib, disk_type
from hpc_components.catalog.price_and_quota import Price
from hpc_components.catalog.price_tables import PriceTables

_TABLES = PriceTables(__file__)
regional_price, service_price = _TABLES.regional_price, _TABLES.service_price


def disk_price(type: str, size_gib: int, region: str) -> Price | None:
    """Return the monthly price of a disk without extra IOPS and throughput, as `USD/month`; None if it is unknown.

    Most types are billed in steps, see `billed_gib`.
    """
    kind = disk_type(type)
    if kind is None or not kind.billed_gib:
        return None
    return service_price(f"disk.{type}.{billed_gib(kind, size_gib)}", region)
