from collections import defaultdict
from functools import cached_property

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.price_and_quota import Price, nearest_price


class PriceTables:
    """The files are large, so each is read only on first use."""

    def __init__(self, module_file: str) -> None:
        """Use the `data` folder next to the module whose `__file__` is `module_file`."""
        self._file = module_file

    def regional_price(self, name: str, region: str) -> Record | None:
        """Return the on-demand price record of a machine type in a region, or None if the table has no such price."""
        record = self._regional.get(name)
        if record is None or region not in record["usd"]:
            return None
        return {**record, "region": region, "usd": record["usd"][region]}

    def service_price(self, item: str, region: str) -> Price | None:
        """Return the price of an item that is not a machine, by its name in the price list, e.g. `nat_gateway.hour`.
        Return None if the list doesn't contain the item.
        """
        return nearest_price(self._services.get(item, []), region)

    @cached_property
    def _regional(self) -> dict[str, Record]:
        return {record["name"]: record for record in records("regional_prices", self._file)}

    @cached_property
    def _services(self) -> dict[str, list[Record]]:
        found: defaultdict[str, list[Record]] = defaultdict(list)
        for record in records("prices", self._file):
            found[record["item"]].append(record)
        return found
