"""Reading the data files: JSON arrays, one record per line. Every module keeps what it makes of them."""

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def records(name: str, beside: str = __file__) -> list[Record]:
    """The records of `data/<name>.json` in the folder of the module whose file is `beside`, read anew."""
    return json.loads(Path(beside).with_name("data").joinpath(f"{name}.json").read_bytes())
