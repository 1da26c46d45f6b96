"""The rules in `known_values.json`: limits on values that are documented in AWS's API but not in the SDK."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table() -> Mapping[str, Any]:
    """Return the content of the data file."""
    return json.loads(files("hpc_components.aws.plan.inputs").joinpath("known_values.json").read_text("utf-8"))
