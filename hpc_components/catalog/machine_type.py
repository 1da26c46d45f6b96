"""The facts of a machine type, on any cloud, and the reader of their records."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hpc_components.catalog._load import records
from hpc_components.catalog.gpu_devices import gpu_devices

Purchase = Literal["on_demand", "spot", "capacity_block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """The GPUs or other accelerators of a machine; `memory_gib` is the memory of one of them."""

    manufacturer: str
    model: str
    count: int
    memory_gib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabric:
    """The RDMA network of a machine; `gbps` is the sum over its interfaces, per direction."""

    kind: str
    """One word for the technology, as in a node's features: `infiniband`."""
    name: str
    interfaces: int
    gbps: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Machine:
    """One machine type.

    `None` means that no source states the value. `unsure` names the fields that no primary source confirms: rules
    warn about them and don't refuse. `offered` maps each region that sells the type to its zones, separated by blanks
    (`zones_offering` splits them), or to an empty text if the zones are unknown. There is one object per type, so
    equality is identity.
    """

    cloud: str
    name: str
    family: str
    """The name that all sizes of one kind of machine share."""
    arch: Literal["x86_64", "arm64"]
    cpu_vendor: str | None = None
    vcpus: int
    cores: int
    threads_per_core: int
    valid_threads_per_core: Sequence[int]
    memory_gib: float
    os_memory_mib: int | None
    numa_nodes: int | None
    sockets: int | None = None
    accelerator: Accelerator | None
    local_nvme_gb: int
    network_gbps: float | None
    network_up_to: bool
    network_cards: int | None
    interfaces_per_card: Sequence[int] = ()
    fabric: Fabric | None
    bare_metal: bool = False
    burstable: bool = False
    cluster_placement: bool
    placement: str | None
    usage: Sequence[Purchase]
    offered: Mapping[str, str]
    prices: Sequence[Mapping[str, Any]] = field(repr=False)
    quotas: Mapping[str, str] = field(default_factory=dict)
    """The cloud's names of the quotas that the type counts against, by market (`on_demand`, `spot`), on clouds where
    they depend on the type."""
    notes: str = ""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    def gpu(self) -> Accelerator | None:
        """The accelerator, if Slurm counts it as `gres/gpu`: a GPU whose device files are known."""
        found = self.accelerator
        return found if found and gpu_devices(found.manufacturer) else None

    @property
    def gpu_count(self) -> int:
        """Number of GPUs that Slurm counts."""
        return self.gpu.count if self.gpu else 0

    @property
    def has_fabric(self) -> bool:
        """Whether the machine has an RDMA network."""
        return self.fabric is not None

    @property
    def spot(self) -> bool:
        """Whether the type is sold as spot capacity."""
        return "spot" in self.usage

    @property
    def memory_mib(self) -> int:
        """Nominal memory in MiB; `real_memory_mib` is what the operating system sees."""
        return int(self.memory_gib * 1024)

    def slurm_cpus(self, *, smt: bool) -> int:
        """Return Slurm's `CPUs`: the hardware threads with SMT, else one per core."""
        return self.cores * self.threads_per_core if smt else self.cores


def read_machines(name: str, module_file: str, family: Callable[[str], str]) -> Iterator[Machine]:
    """Yield the machine types of `data/<name>.json` in a module's folder.

    `family` returns the family of a type's name.
    """
    for record in records(name, module_file):
        if accelerator := record["accelerator"]:
            record["accelerator"] = Accelerator(**accelerator)
        if fabric := record["fabric"]:
            record["fabric"] = Fabric(**fabric)
        yield Machine(family=family(record["name"]), **record)
