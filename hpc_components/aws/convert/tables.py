"""Loads this package's tables (`data/*.json`). Each table records its source and date."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    return json.loads((files("hpc_components.aws.convert") / f"data/{name}.json").read_text(encoding="utf-8"))
