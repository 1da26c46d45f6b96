from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hpc_components.catalog._load import records
from hpc_components.catalog.gpu_devices import gpu_devices

Purchase = Literal["on_demand", "spot", "capacity_block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """A machine's GPUs or other accelerators. `memory_gib` is the memory per accelerator."""

    manufacturer: str
    model: str
    count: int
    memory_gib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabric:
    """A machine's RDMA network. `gbps` is the total bandwidth of all interfaces in each direction."""

    kind: str
    """Name of the technology, as used in a node's Slurm features, e.g. `infiniband`."""
    name: str
    interfaces: int
    gbps: float

    @property
    def has_verbs(self) -> bool:
        """Whether each interface has a device file `/dev/infiniband/uverbs*` (Linux, infiniband/user_verbs.rst).

        Network cards whose packets GPUs receive by TCP have none.
        """
        return "tcp" not in self.kind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Machine:
    """A machine type.

    None means that no source states the value. `unsure` names the fields that no primary source confirms; for these,
    rules report warnings instead of errors. `offered` maps each region that sells the type to a space-separated list
    of zones (`zones_offering` splits it), or to an empty string if the zones are unknown. There is exactly one object
    for each type, so equality is identity.
    """

    cloud: str
    name: str
    family: str
    """Name that all sizes in a machine series share."""
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
    """Maps each market (`on_demand` or `spot`) to the cloud's name for the quota that the type counts against. Used
    for clouds whose quotas depend on the type."""
    notes: str = ""
    source: str
    as_of: str
    unsure: Sequence[str] = ()
    own_facts: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Maps each region whose zones in `offered` come from the project's own facts to their origin, for messages."""

    @property
    def gpu(self) -> Accelerator | None:
        """The accelerator if Slurm counts it as `gres/gpu` (i.e. if its device files are known), otherwise None."""
        found = self.accelerator
        return found if found and gpu_devices(found.manufacturer) else None

    @property
    def gpu_count(self) -> int:
        """Number of GPUs that Slurm counts as `gres/gpu`."""
        return self.gpu.count if self.gpu else 0

    @property
    def has_fabric(self) -> bool:
        return self.fabric is not None

    @property
    def spot(self) -> bool:
        return "spot" in self.usage

    @property
    def memory_mib(self) -> int:
        """Nominal memory in MiB. `real_memory_mib` returns the memory that Slurm may use."""
        return int(self.memory_gib * 1024)

    def slurm_cpus(self, *, smt: bool) -> int:
        """Return the value of Slurm's `CPUs`: the number of hardware threads with SMT, or the number of cores without
        SMT.
        """
        return self.cores * self.threads_per_core if smt else self.cores


def read_machines(name: str, module_file: str, family: Callable[[str], str]) -> Iterator[Machine]:
    """Yield the machine types in `data/<name>.json` next to the module whose `__file__` is `module_file`.

    `family` takes the name of a machine type and returns its family.
    """
    for record in records(name, module_file):
        if accelerator := record["accelerator"]:
            record["accelerator"] = Accelerator(**accelerator)
        if fabric := record["fabric"]:
            record["fabric"] = Fabric(**fabric)
        yield Machine(family=family(record["name"]), **record)
