"""Names of Slurm's trackable resources (TRES), such as CPUs, memory, nodes, GPUs, GPU shares and licenses."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from hpc_components.catalog import Accelerator, GpuDevices, Machine, gpu_devices
from hpc_components.spec.queues import Queue, Shards
from hpc_components.spec.slurm.values import Value, unquoted

LIMITABLE = ("cpu", "mem", "node", "billing")
"""Resources that can be limited on every cluster."""

BUILT_IN = (*LIMITABLE, "energy", "vmem", "pages", "fs/disk")
"""Resources that Slurm tracks on every cluster. Source: Slurm source code, src/common/slurmdb_defs.c."""


@dataclass(frozen=True, kw_only=True)
class Gpus:
    """A node's GPUs."""

    type: str
    """GPU model as jobs request it, e.g. `h100` in `--gres=gpu:h100:2`."""
    count: int
    devices: GpuDevices
    shares: tuple[str, int] | None
    """(`shard` or `mps`, number per GPU), or None if GPUs are not shared."""

    @property
    def gres(self) -> dict[str, int]:
        """The node's generic resources as Slurm counts them, e.g. `{"gpu:l4": 8, "shard": 32}`."""
        parts = {self.shares[0]: self.shares[1] * self.count} if self.shares else {}
        return {f"gpu:{self.type}": self.count} | parts


def gpus_of(queue: Queue, machine: Machine) -> Gpus | None:
    """Return the GPUs of a node with this machine type in `queue`, or None if the type has no supported GPUs."""
    devices = gpu_devices(machine.gpu.manufacturer) if machine.gpu else None
    if machine.gpu is None or devices is None:
        return None
    return Gpus(type=gres_type(machine.gpu), count=machine.gpu.count, devices=devices, shares=gpu_shares(queue))


def gres_type(gpu: Accelerator) -> str:
    """Return the name under which jobs request a GPU model, e.g. `h100` or `rtx_pro_server_6000`."""
    return gpu.model.lower().replace(" ", "_").replace("-", "_")


def gpu_shares(queue: Queue) -> tuple[Literal["shard", "mps"], int] | None:
    if queue.gpu_sharing is None:
        return None
    if isinstance(queue.gpu_sharing, Shards):
        return "shard", queue.gpu_sharing.shards
    return "mps", queue.gpu_sharing.mps


def counted_gres(nodes: Iterable[Gpus | None]) -> tuple[str, ...]:
    """Return the names that limits use for the nodes' generic resources, e.g. `gres/gpu`, `gres/gpu:h100` or
    `gres/shard`.
    """
    kinds = (kind for gpus in nodes if gpus for kind in ("gpu", *gpus.gres))
    return tuple(dict.fromkeys(f"gres/{kind}" for kind in kinds))


def counted_licenses(settings: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the names that limits use for the licenses in `Licenses` and `AccountingStorageTRES`, e.g.
    `license/matlab`.

    The names are in lower case, as Slurm stores them. Source: slurm.conf(5), Licenses; Slurm's documentation,
    "Trackable Resources"; run on Slurm 22.05.
    """
    given = {key.lower(): unquoted(value).lower() for key, value in settings.items()}
    declared = (each.partition(":")[0].strip() for each in re.split("[,;]", given.get("licenses", "")))
    counted = (each.strip() for each in given.get("accountingstoragetres", "").split(","))
    named = (
        *(f"license/{name}" for name in declared if name),
        *(one for one in counted if one.startswith("license/")),
    )
    return tuple(dict.fromkeys(named))
