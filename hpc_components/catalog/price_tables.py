"""A cloud's price lists, which lie in the data files `regional_prices` and `prices` beside its catalogue."""

from collections import defaultdict
from functools import cached_property

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.prices import Price, nearest_price

__all__ = ["PriceTables"]


class PriceTables:
    """Each file is read when it is first asked for; they are large."""

    def __init__(self, module_file: str) -> None:
        """`module_file` is the `__file__` of a module beside the folder `data`."""
        self._file = module_file

    def regional_price(self, name: str, region: str) -> Record | None:
        """The price record of a machine type in a region, on demand, where the table of regional prices has it."""
        record = self._regional.get(name)
        if record is None or region not in record["usd"]:
            return None
        return {**record, "region": region, "usd": record["usd"][region]}

    def service_price(self, item: str, region: str) -> Price | None:
        """What something other than a machine costs, by its name in the list, such as `nat_gateway.hour`."""
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
