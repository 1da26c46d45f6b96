"""Loads `known_values.json`: limits that are documented for the AWS API but missing from the SDK."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table() -> Mapping[str, Any]:
    return json.loads(files("hpc_components.aws.plan.inputs").joinpath("known_values.json").read_text("utf-8"))
