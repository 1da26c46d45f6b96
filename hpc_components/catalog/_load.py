"""Reads data files: JSON arrays, one record per line. Nothing is cached here."""

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def records(name: str, module_file: str = __file__) -> list[Record]:
    """The records of `data/<name>.json` in the folder of a module, given by its `__file__`."""
    return read_records(data_file(name, module_file))


def data_file(name: str, module_file: str) -> Path:
    """Return the path of `data/<name>.json` in the folder of a module, given by its `__file__`."""
    return Path(module_file).with_name("data") / f"{name}.json"


def read_records(file: Path) -> list[Record]:
    """Return the records of a data file."""
    return json.loads(file.read_bytes())
