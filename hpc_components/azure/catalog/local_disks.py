"""Which machines can have their root disk on disks of their own: ephemeral OS disks, for which nothing is paid."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.refusal import Refusal, Why

LocalPlacement = Literal["CacheDisk", "ResourceDisk", "NvmeDisk"]
"""Where on the machine, in Azure's words: its cache, its temporary disk, its NVMe disks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRoot:
    """Where on a machine a root disk has room."""

    placement: LocalPlacement | None
    """None: nowhere."""
    gib: int
    """The largest root disk."""
    unsure: Sequence[str] = ()


def local_root(machine: str) -> LocalRoot | None:
    """Where on machines of a size a root disk has room; None if no record says it."""
    name = machine.removeprefix("Standard_")
    for record in _sizes():
        if re.fullmatch(record["sizes"], name):
            vcpus = int(re.findall(r"\d+", name)[0])
            gib = record.get("gib") or int(record.get("gib_per_vcpu", 0) * vcpus)
            return LocalRoot(placement=record["placement"], gib=gib, unsure=record.get("unsure", ()))
    return None


def ephemeral_refusals(machine: str, gib: float) -> Iterator[Refusal]:
    """Why machines of a size can't have a root disk of so many GiB on disks of their own.

    The fields: `machine`: it has no disks for that. `size_gib`: they are smaller (`allowed`). What no record says of
    a size is let pass. Source: Azure documentation, "Ephemeral OS disks", size requirements.
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
