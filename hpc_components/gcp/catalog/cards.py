"""Further network cards of machines: what kind they are, and in which networks they must be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hpc_components.catalog.machine_type import Machine

__all__ = ["CardKind", "card_kinds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardKind:
    """Further network cards of one kind."""

    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    count: int = 1
    """How many a machine has."""
    profile: str | None = None
    """End of the network profile that they need, `vpc-falcon` of `us-central1-a-vpc-falcon`; all of them are in one
    network of that profile. Without, each is in a network of its own."""


_KINDS = {
    "cloud_rdma": (CardKind(nic_type="IRDMA", profile="vpc-falcon"),),
    "gpudirect_rdma": (CardKind(nic_type="GVNIC"), CardKind(nic_type="MRDMA", count=8, profile="vpc-roce")),
    "gpudirect_tcpx": (CardKind(nic_type="GVNIC", count=4),),
    "gpudirect_tcpxo": (CardKind(nic_type="GVNIC", count=8),),
}


def card_kinds(machine: Machine) -> Sequence[CardKind]:
    """The further network cards of a machine type, in their order."""
    return _KINDS.get(machine.fabric.kind, ()) if machine.fabric else ()
