from functools import cache

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.machine_type import Machine
from hpc_components.gcp.catalog.by_prefix import nearest


def boot_seconds(machine: Machine) -> int | None:
    """Return the boot time in seconds that Google's own examples allow for, or None if this machine boots in the
    usual time.

    Source: Cluster Toolkit, examples of the series: ResumeTimeout.
    """
    found = nearest(_records(), machine.name)
    return found["seconds"] if found else None


@cache
def _records() -> tuple[Record, ...]:
    return tuple(records("boot_times", __file__))
