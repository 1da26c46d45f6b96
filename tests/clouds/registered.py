"""Registers the toy cloud: the line that a cloud of the house has in `CLOUDS`, and where its driver is.

A driver of the house is in `hpc_components/elastic/drivers` and found by its name. That of the toy is found in the
same way, in another folder.
"""

from pathlib import Path

from hpc_components.cloud import CLOUDS
from hpc_components.elastic import drivers

DRIVERS = str(Path(__file__).parent / "toy" / "drivers")


def register() -> None:
    """For the rest of this process."""
    CLOUDS["toy"] = "clouds.toy"
    CLOUDS.pop("gcp", None)  # whose resources the toy borrows: a resource belongs to one cloud
    drivers.__path__ = [*drivers.__path__, DRIVERS]
