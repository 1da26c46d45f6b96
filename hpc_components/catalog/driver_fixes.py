"""Security fixes of GPU drivers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverFix:
    """A security bulletin about one branch of a driver."""

    driver: str
    """Name of the driver, as in `BaseImage.software`."""
    branch: str
    """First number of the versions, e.g. `580`."""
    fixed: str
    """First version in which the holes are closed."""
    bulletin: str
    """Vendor and number, e.g. `NVIDIA 5861`."""
    published: str
    source: str
    as_of: str


def missing_fixes(driver: str, version: str) -> Sequence[DriverFix]:
    """Return the bulletins whose fixes a driver's version lacks, newest first.

    Return () if only the branch of the version is known.
    """
    branch, dot, _ = version.partition(".")
    if not dot:
        return ()
    return tuple(
        fix
        for fix in _fixes()
        if (fix.driver, fix.branch) == (driver, branch) and _numbers(version) < _numbers(fix.fixed)
    )


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


@cache
def _fixes() -> tuple[DriverFix, ...]:
    found = [DriverFix(**record) for record in records("driver_fixes")]
    return tuple(sorted(found, key=lambda fix: fix.published, reverse=True))
