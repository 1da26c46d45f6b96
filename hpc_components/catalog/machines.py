"""Machine types of the three clouds: what they are, where they are sold and what Slurm sees of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from hpc_components.catalog._load import Record, records

__all__ = [
    "Accelerator",
    "Cloud",
    "Fabric",
    "FabricKind",
    "Machine",
    "Purchase",
    "all_machines",
    "close_names",
    "is_known_type",
    "is_previous_generation",
    "machine",
    "machines",
    "real_memory_mib",
    "regions_offering",
    "zones_offering",
]

Cloud = Literal["aws", "azure", "gcp"]
Purchase = Literal["on_demand", "spot", "capacity_block"]
FabricKind = Literal["efa", "infiniband", "cloud_rdma", "gpudirect_tcpx", "gpudirect_tcpxo", "gpudirect_rdma"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """The GPUs or other accelerators of a machine; `memory_gib` is that of one of them."""

    manufacturer: str
    model: str
    count: int
    memory_gib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabric:
    """The RDMA network of a machine; `gbps` is the sum over its interfaces, per direction."""

    kind: FabricKind
    name: str
    interfaces: int
    gbps: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Machine:
    """One machine type.

    `None` means that no source tells. `unsure` names the fields that no primary source confirms: judge them with
    a warning, not with an error. `offered` maps each region that sells the type to the zones that do, separated by
    blanks (`zones_offering` splits them); it is empty where the zones are not known. There is one object per type, so
    equality is identity.
    """

    cloud: Cloud
    name: str
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
    ebs_baseline_mbps: int | None = None
    bare_metal: bool = False
    burstable: bool = False
    nitro: bool = False
    cluster_placement: bool
    placement: str | None
    usage: Sequence[Purchase]
    offered: Mapping[str, str]
    prices: Sequence[Mapping[str, Any]] = field(repr=False)
    quotas: Mapping[str, str] = field(default_factory=dict)
    notes: str = ""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    def family(self) -> str:
        """The name without its size: `hpc6a` (AWS), `HBv4` (Azure), `h4d` (GCP)."""
        if self.cloud == "azure":
            return re.sub(r"Standard_([A-Z]+).*?(v\d+)?$", r"\1\2", self.name)
        return self.name.split("." if self.cloud == "aws" else "-")[0]

    @property
    def gpu(self) -> Accelerator | None:
        """The accelerator, if Slurm counts it as `gres/gpu` (Trainium is none)."""
        return self.accelerator if self.accelerator and self.accelerator.manufacturer != "AWS" else None

    @property
    def gpu_count(self) -> int:
        """How many GPUs Slurm counts."""
        return self.gpu.count if self.gpu else 0

    @property
    def is_efa(self) -> bool:
        """Whether the machine can carry an Elastic Fabric Adapter."""
        return self.fabric is not None and self.fabric.kind == "efa"

    @property
    def spot(self) -> bool:
        """Whether the type is sold as spot capacity."""
        return "spot" in self.usage

    @property
    def memory_mib(self) -> int:
        """The nominal memory; what the operating system sees is `real_memory_mib`."""
        return int(self.memory_gib * 1024)

    def slurm_cpus(self, *, smt: bool) -> int:
        """Slurm's `CPUs`: hardware threads with SMT, else one per core."""
        return self.cores * self.threads_per_core if smt else self.cores


def machine(cloud: Cloud, name: str) -> Machine | None:
    """The machine type of that exact name, or None when we hold no facts about it."""
    return _index().get((cloud, name)) or (_others().get((cloud, name)) if cloud == "aws" else None)


def machines(cloud: Cloud | None = None) -> tuple[Machine, ...]:
    """The machine types that clusters are usually made of, or those of one cloud."""
    return tuple(m for m in _index().values() if cloud in (None, m.cloud))


def all_machines(cloud: Cloud | None = None) -> tuple[Machine, ...]:
    """`machines`, and after them every other type of EC2 that runs Linux."""
    return machines(cloud) + tuple(m for m in _others().values() if cloud in (None, m.cloud))


def close_names(cloud: Cloud, name: str) -> list[str]:
    """Up to three names that a misspelt one may have meant, the closest first."""
    import difflib  # here, because only a message about a wrong name needs it

    held = {m.name.lower().removeprefix("standard_"): m.name for m in machines(cloud)}
    if cloud == "aws":
        held |= {known: known for known in sorted(_known_types())}
    return [
        held[found]
        for found in difflib.get_close_matches(name.lower().removeprefix("standard_"), held, n=3, cutoff=0.75)
    ]


def is_known_type(name: str) -> bool:
    """Whether EC2 has a type of that name, held here with facts or not."""
    return name in _known_types()


def is_previous_generation(name: str) -> bool:
    """Whether EC2 calls the type's family a previous generation, and nothing puts that in doubt."""
    family = _families().get(name.split(".")[0], {})
    return not family.get("current", True) and "current" not in family.get("unsure", ())


def regions_offering(machine: Machine) -> tuple[str, ...]:
    """The regions that sell the type, sorted."""
    return tuple(sorted(machine.offered))


def zones_offering(machine: Machine, region: str) -> tuple[str, ...]:
    """The zones of a region that sell the type (AWS: zone ids); empty when none does or none is known."""
    return tuple(machine.offered.get(region, "").split())


def real_memory_mib(machine: Machine) -> int:
    """Slurm's `RealMemory`: never more than the node will report, else jobs get what is not there.

    It is the measured value when there is one (`machine.os_memory_mib`), else an estimate: the lower of 94 % of the
    nominal memory and nominal less 1 GiB from 16 GiB up, and three quarters of it below. Against the 1,093 EC2 sizes
    that ec2instances.info measured (2025-12) it is too high on five (g6.xlarge, g7.2xlarge, vt1), by at most 2.6 %.
    """
    if machine.os_memory_mib is not None:
        return machine.os_memory_mib
    if machine.memory_gib >= 16:
        return int(min(0.94 * machine.memory_mib, machine.memory_mib - 1024))
    return int(0.75 * machine.memory_mib)


@cache
def _index() -> dict[tuple[str, str], Machine]:
    return {(record["cloud"], record["name"]): _made(record) for record in records("machines")}


@cache
def _others() -> dict[tuple[str, str], Machine]:
    """What a cluster is seldom made of has a file of its own: reading it takes as long as all else."""
    return {(record["cloud"], record["name"]): _made(record) for record in records("aws_other_machines")}


def _made(record: Record) -> Machine:
    if accelerator := record["accelerator"]:
        record["accelerator"] = Accelerator(**accelerator)
    if fabric := record["fabric"]:
        record["fabric"] = Fabric(**fabric)
    return Machine(**record)


@cache
def _families() -> dict[str, dict[str, Any]]:
    return {r["family"]: r for r in records("aws_known_types")}


@cache
def _known_types() -> frozenset[str]:
    return frozenset(f"{r['family']}.{size}" for r in records("aws_known_types") for size in r["sizes"])
