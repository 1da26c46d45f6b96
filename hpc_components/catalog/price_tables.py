"""A cloud's price lists: the data files `regional_prices` and `prices` beside its catalogue."""

from collections import defaultdict
from functools import cached_property

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.price_and_quota import Price, nearest_price


class PriceTables:
    """The price lists of one cloud. Each file is read on first use, because it is large."""

    def __init__(self, module_file: str) -> None:
        """Use the folder `data` beside a module, given by its `__file__`."""
        self._file = module_file

    def regional_price(self, name: str, region: str) -> Record | None:
        """Return the on-demand price record of a machine type in a region; None if the table does not have it."""
        record = self._regional.get(name)
        if record is None or region not in record["usd"]:
            return None
        return {**record, "region": region, "usd": record["usd"][region]}

    def service_price(self, item: str, region: str) -> Price | None:
        """Return the price of an item other than a machine, by its name in the list, such as `nat_gateway.hour`."""
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
