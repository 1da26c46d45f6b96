"""Reading the data files: JSON arrays, one record per line. Every module keeps what it makes of them."""

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]

_DATA = Path(__file__).with_name("data")


def records(name: str) -> list[Record]:
    """The records of `data/<name>.json`, read anew."""
    return json.loads((_DATA / f"{name}.json").read_bytes())
