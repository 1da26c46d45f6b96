"""Readers of data files: JSON arrays, one record per line. Nothing is cached here."""

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def records(name: str, module_file: str = __file__) -> list[Record]:
    """Return the records of `data/<name>.json` in the folder of a module, given by its `__file__`."""
    return json.loads((Path(module_file).with_name("data") / f"{name}.json").read_bytes())
