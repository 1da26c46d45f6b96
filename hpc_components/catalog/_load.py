"""Reading data files: JSON arrays, one record per line. Every module keeps what it makes of them."""

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def records(name: str, beside: str = __file__) -> list[Record]:
    """The records of `data/<name>.json`, read anew; `beside` is the `__file__` of a module of a cloud's catalogue."""
    return json.loads((Path(beside).with_name("data") / f"{name}.json").read_bytes())
