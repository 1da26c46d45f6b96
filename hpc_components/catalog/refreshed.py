"""Reads a project's own prices, which `hpc catalog refresh` writes and which take precedence over the catalogue's.

`hpc-prices/<cloud>.json` next to `Pulumi.yaml` lists records in the same format as the catalogue's own data files,
one per line. Each record has `region`, `usd`, `source` and `as_of`. Records of machines also have `name` and
`purchase`; all other records have `item` and `unit`. Commit the file with the stack files so that all users and
programs see the same costs.
"""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from hpc_components.catalog._load import Record
from hpc_components.catalog.project_folder import own_file, own_root
from hpc_components.errors import HpcError
from hpc_components.strict_json import InvalidJsonError, parse_json
from hpc_components.user_files import read_user_text

_FOLDER = "hpc-prices"
_REMEDY = "restore the file, or delete it and run `hpc catalog refresh`"


class UnreadablePricesError(HpcError, ValueError):
    """Raised if a price file can't be read. The message states where the error is and how to fix it."""


def price_file(root: Path, cloud: str) -> Path:
    return Path(own_file(root, _FOLDER, cloud))


def refreshed_record(cloud: str, key: str, region: str, purchase: str | None = None) -> Mapping[str, Any] | None:
    """Return the project's own price record for a machine type in a region, or for another item if `purchase` is
    None.

    Return None if the project has no such price.
    """
    root = own_root()
    return _by_key(root, cloud).get((key, region, purchase)) if root else None


def read_prices(file: Path) -> list[Record]:
    """Return the records of a price file. The list is empty if the file doesn't exist."""
    try:
        text = read_user_text(file)
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "the file is not UTF-8 text"
        raise UnreadablePricesError(f"{file} can't be read: {why}; {_REMEDY}") from None
    try:
        found = parse_json(text)
    except InvalidJsonError as error:
        raise UnreadablePricesError(f"{file} can't be read: {error}; {_REMEDY}") from None
    if not isinstance(found, list):
        raise UnreadablePricesError(f"{file} is not a list of prices; {_REMEDY}")
    for number, record in enumerate(found):
        if not _is_price(record):
            raise UnreadablePricesError(f"{file}: record {number} is not a price; {_REMEDY}")
    return found


def _is_price(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    texts = ("item", "region") if "item" in record else ("name", "region", "purchase")
    usd = record.get("usd")
    return (
        isinstance(usd, int | float)
        and not isinstance(usd, bool)
        and all(isinstance(record.get(key), str) and record[key] for key in (*texts, "source", "as_of"))
        and all(isinstance(record.get(key, ""), str) for key in ("unit", "note"))
    )


def _by_key(root: Path, cloud: str) -> dict[tuple[str, str, str | None], Record]:
    path = own_file(root, _FOLDER, cloud)
    try:
        return _read_once(path, os.stat(path).st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return {}


@lru_cache(maxsize=16)
def _read_once(path: str, changed: int) -> dict[tuple[str, str, str | None], Record]:
    return {_key(record): record for record in read_prices(Path(path))}


def _key(record: Record) -> tuple[str, str, str | None]:
    if "item" in record:
        return record["item"], record["region"], None
    return record["name"], record["region"], record["purchase"]
