"""Which of Google's APIs a cluster needs to be enabled in its project."""

from collections.abc import Iterable
from functools import cache
from typing import Literal

from hpc_components.catalog._load import Record, records

ApiUse = Literal[
    "lent_identity", "os_login", "iap", "lustre", "filestore", "kms", "budget", "database",
]  # fmt: skip
"""What some clusters have, and others don't."""


def needed_apis(uses: Iterable[ApiUse] = ()) -> tuple[str, ...]:
    """The names of the services, as in `compute.googleapis.com`: those of every cluster, and of what this has."""
    wanted = {*uses}
    return tuple(record["api"] for record in _records() if not record["uses"] or wanted & {*record["uses"]})


@cache
def _records() -> tuple[Record, ...]:
    return tuple(records("apis", __file__))
