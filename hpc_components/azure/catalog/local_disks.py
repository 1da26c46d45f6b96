"""Ephemeral OS disks: which machines can have their root disk, free of charge, on local disks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.refusal import Refusal, Why

LocalPlacement = Literal["CacheDisk", "ResourceDisk", "NvmeDisk"]
"""Azure's names for the cache, the temporary disk and the NVMe disks of a machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRoot:
    """Room for a root disk on a machine."""

    placement: LocalPlacement | None
    """Where the root disk goes; None: the machine has no room."""
    gib: int
    """Maximum size of a root disk in GiB."""
    unsure: Sequence[str] = ()


def local_root(machine: str) -> LocalRoot | None:
    """Return the room for a root disk on machines of this size; None if no record gives it."""
    name = machine.removeprefix("Standard_")
    for record in _sizes():
        if re.fullmatch(record["sizes"], name):
            vcpus = int(re.findall(r"\d+", name)[0])
            gib = record.get("gib") or int(record.get("gib_per_vcpu", 0) * vcpus)
            return LocalRoot(placement=record["placement"], gib=gib, unsure=record.get("unsure", ()))
    return None


def ephemeral_refusals(machine: str, gib: float) -> Iterator[Refusal]:
    """Yield why machines of this size can't have a root disk of `gib` GiB on local disks.

    Fields: `machine`: it has no local disks for that. `size_gib`: they are smaller, see `allowed`. Sizes without a
    record are accepted. Source: Azure documentation, "Ephemeral OS disks", size requirements.
    """
    found = local_root(machine)
    if found is None:
        return
    if found.placement is None:
        yield Refusal(field="machine", why=Why.NOT_SOLD)
    elif gib > found.gib:
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, because_of="machine", allowed=range(1, found.gib + 1))


@cache
def _sizes() -> tuple[Record, ...]:
    return tuple(records("local_disks", __file__))
