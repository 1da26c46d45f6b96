"""Reads data files, which are JSON arrays with one record per line. Nothing is cached in this module."""

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def records(name: str, module_file: str = __file__) -> list[Record]:
    """Return the records of `data/<name>.json` next to the module whose `__file__` is `module_file`."""
    return read_records(data_file(name, module_file))


def data_file(name: str, module_file: str) -> Path:
    return Path(module_file).with_name("data") / f"{name}.json"


def read_records(file: Path) -> list[Record]:
    return json.loads(file.read_bytes())
