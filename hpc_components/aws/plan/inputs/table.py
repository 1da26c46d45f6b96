"""The rules of `known_values.json`: what AWS's API documents of its values, and the SDK does not."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table() -> Mapping[str, Any]:
    """The data file."""
    return json.loads(files("hpc_components.aws.plan.inputs").joinpath("known_values.json").read_text("utf-8"))
