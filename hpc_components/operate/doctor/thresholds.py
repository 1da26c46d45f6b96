"""Figures from which on something is called wrong, with their sources."""

import json
from functools import cache
from importlib.resources import files


@cache
def _records() -> dict[str, float]:
    text = (files("hpc_components.operate.doctor") / "data/thresholds.json").read_text(encoding="utf-8")
    return {record["name"]: record["value"] for record in json.loads(text)}


def threshold(name: str) -> float:
    """Return the value of a record in data/thresholds.json."""
    return _records()[name]
