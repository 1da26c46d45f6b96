import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hpc_components.catalog._load import Record
from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machines import all_machines, machine, machines
from hpc_components.catalog.online.http import NotThereError, PriceListError
from hpc_components.catalog.online.price_list import Listed, PriceList
from hpc_components.catalog.prices import price, service_price
from hpc_components.catalog.project_folder import files_of, replace_text
from hpc_components.catalog.refreshed import price_file, read_prices
from hpc_components.cloud import cloud_named
from hpc_components.errors import HpcError


class UnwritablePricesError(HpcError):
    """Raised if the price file can't be written. The message names the file and the reason."""


@dataclass(frozen=True, kw_only=True)
class Refreshed:
    file: Path
    found: int
    changed: int
    """Number of prices that differ from the prices used before the refresh."""
    missing: tuple[str, ...]
    """Machine types that stacks use but that have no price in the list, e.g. `hpc6a.48xlarge in us-east-1`."""


def refresh(cloud: str, regions: Iterable[str], named: Collection[str], root: Path) -> Refreshed:
    """Read the prices in `regions` and write them into the project in `root`. Prices in other regions are kept.

    Prices are read for the machine types that clusters commonly use, and for those in `named` that are in the
    catalogue. The file is written only after everything has been read.
    """
    prices = _price_list(cloud)
    wanted = {each.name for each in machines(cloud)} | {
        each.name for each in all_machines(cloud) if each.name in named
    }
    file = price_file(root, cloud)
    kept = {_key(record): record for record in read_prices(file)}
    fresh: dict[tuple[str, ...], Record] = {}
    missing: list[str] = []
    for region in dict.fromkeys(regions):
        found = [_record(cloud, each, region) for each in prices.prices(region, wanted)]
        sold = {record["name"] for record in found if "name" in record}
        if not sold:
            raise NotThereError(f"the price list of {cloud_named(cloud).title} contains no machines in {region}")
        missing += [f"{name} in {region}" for name in sorted((wanted & {*named}) - sold)]
        fresh |= {_key(record): record for record in found}
    with files_of(root):
        changed = [record for record in fresh.values() if _used(cloud, record) != record["usd"]]
    _write(file, kept | fresh)
    return Refreshed(file=file, found=len(fresh), changed=len(changed), missing=tuple(missing))


def _price_list(cloud: str) -> PriceList:
    found = cloud_named(cloud)
    if (prices := found.parts.price_list) is None:
        raise PriceListError(f"{found.title} doesn't publish a price list that can be fetched online")
    return prices


def _record(cloud: str, listed: Listed, region: str) -> Record:
    today = datetime.now(UTC).date().isoformat()
    common = {"region": region, "usd": listed.usd, "source": listed.source, "as_of": today}
    if listed.item is None:
        return {"name": listed.name, "purchase": listed.purchase, **common}
    known = catalog_of(cloud).service_price(listed.item, region)
    return {"item": listed.item, "unit": known.unit if known else "", **common}


def _used(cloud: str, record: Record) -> float | None:
    """Return the USD price that was used for the region before the refresh, or None if there was none."""
    if "item" in record:
        before = service_price(cloud, record["item"], record["region"])
    else:
        known = machine(cloud, record["name"])
        before = price(known, record["region"], record["purchase"]) if known else None
    return before.usd if before and before.exact_region else None


def _key(record: Record) -> tuple[str, ...]:
    return record["region"], record.get("item", ""), record.get("name", ""), record.get("purchase", "")


def _write(file: Path, records: dict[tuple[str, ...], Record]) -> None:
    """Write the records sorted and one per line, so that a diff shows every changed price."""
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for _, record in sorted(records.items()))
    try:
        replace_text(file, f"[\n{lines}\n]\n")
    except OSError as error:
        raise UnwritablePricesError(f"can't write {file}: {error.strerror}") from None
