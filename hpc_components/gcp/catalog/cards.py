"""Further network cards of machines: what kind they are, and in which networks they must be."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["CardKind"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardKind:
    """Further network cards of one kind."""

    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    count: int = 1
    """How many a machine has."""
    profile: str | None = None
    """End of the network profile that they need, `vpc-falcon` of `us-central1-a-vpc-falcon`; all of them are in one
    network of that profile. Without, each is in a network of its own."""
