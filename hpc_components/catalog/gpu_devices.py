from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuDevices:
    """The device files of a manufacturer's GPUs. The files are numbered from `first`."""

    manufacturer: str
    path: str
    """Path of a GPU's device file, without the number."""
    first: int
    shared: Sequence[str]
    """Device files that every GPU program needs besides those of the GPUs themselves."""
    slurm_flag: str
    """The gres.conf flag that makes Slurm set the environment variables that the manufacturer's libraries read."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def files(self, count: int) -> tuple[str, ...]:
        return tuple(f"{self.path}{number}" for number in range(self.first, self.first + count))

    def pattern(self, count: int) -> str:
        """Return the GPU device files as a single pattern in Slurm's syntax, e.g. `/dev/nvidia[0-7]`."""
        last = self.first + count - 1
        return f"{self.path}{self.first}" if count == 1 else f"{self.path}[{self.first}-{last}]"


def gpu_devices(manufacturer: str) -> GpuDevices | None:
    return _devices().get(manufacturer)


@cache
def _devices() -> dict[str, GpuDevices]:
    return {record["manufacturer"]: GpuDevices(**record) for record in records("gpu_devices")}
