from collections.abc import Iterable
from functools import cache
from typing import Literal

from hpc_components.catalog._load import Record, records

ApiUse = Literal[
    "lent_identity", "os_login", "iap", "lustre", "filestore", "kms", "budget", "database",
]  # fmt: skip
"""An optional cluster feature that needs additional APIs."""


def needed_apis(uses: Iterable[ApiUse] = ()) -> tuple[str, ...]:
    """Return the host names, such as `compute.googleapis.com`, of the APIs needed by every cluster and by these
    features.
    """
    wanted = {*uses}
    return tuple(record["api"] for record in _records() if not record["uses"] or wanted & {*record["uses"]})


@cache
def _records() -> tuple[Record, ...]:
    return tuple(records("apis", __file__))
