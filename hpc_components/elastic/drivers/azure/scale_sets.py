"""Finds a cluster's scale sets by their tags. There is one per queue, machine type and zone."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.elastic.drivers.azure.arm import ONE_SET, SETS, Arm
from hpc_components.elastic.model import Pool

SPOT = "spot"


@dataclass(frozen=True, kw_only=True)
class ScaleSet:
    """A scale set, as last read."""

    id: str
    """Resource id, e.g. `/subscriptions/.../virtualMachineScaleSets/<name>`."""
    name: str
    """Name of the scale set and of its blob."""
    pool: Pool
    """The pool to which its machines belong, from its tags."""
    flexible: bool
    """Whether its machines are ordinary virtual machines instead of the scale set's own, which a single placement
    group requires."""
    spot: bool
    """Whether Azure may reclaim its machines."""
    sku: Mapping[str, Any]
    """Machine type, tier and capacity, in the form in which Azure expects them in a request."""
    etag: str
    """Changes with every change of the scale set. Empty if Azure did not return one."""
    updating: bool
    """Whether an operation is under way."""
    made: str = ""
    """Creation time as Azure writes it. A queue that is changed gets a new scale set in addition to the old one."""

    @property
    def capacity(self) -> int:
        """Number of machines that the scale set should have, including failed ones.

        Never derive a request from this number alone: after a deletion, Azure has been seen to update it late, and to
        show 0 for a moment although machines existed.
        """
        return int(self.sku.get("capacity") or 0)


def read_scale_sets(arm: Arm, group: str, cluster: str, config: str) -> Iterator[ScaleSet]:
    """Yield the scale sets in resource group `group` (an id) whose tags name this cluster and its config bucket."""
    place = f"{group}/providers/Microsoft.Compute/virtualMachineScaleSets"
    for raw in tagged(arm.pages(place, bucket=SETS), cluster, config):
        yield _scale_set(raw)


def tagged(every: Iterable[Mapping[str, Any]], cluster: str, config: str) -> Iterator[Mapping[str, Any]]:
    """Yield the groups that contain this cluster's compute nodes."""
    ours = {"ClusterName": cluster, "hpc:config": config, "hpc:role": "compute"}
    return (raw for raw in every if ours.items() <= (raw.get("tags") or {}).items())


def pool_of(raw: Mapping[str, Any]) -> Pool:
    """Return the pool described by the tags of a scale set or availability set."""
    tags = raw.get("tags") or {}
    queue, machine, zone, purchase = (
        tags.get(f"hpc:{what}", "") for what in ("queue", "machine", "zone", "purchase")
    )
    return Pool(queue=queue, machine=machine, zone=zone, purchase=purchase)


def read_scale_set(arm: Arm, id: str) -> ScaleSet:
    """Read one scale set. Raise ArmError with status 404 if it is gone."""
    return _scale_set(arm.get(id, bucket=f"{ONE_SET}:{id.rpartition('/')[2]}").document)


def _scale_set(raw: Mapping[str, Any]) -> ScaleSet:
    properties = raw["properties"]
    priority = properties.get("virtualMachineProfile", {}).get("priority", "")
    return ScaleSet(
        id=raw["id"],
        name=raw["name"],
        pool=pool_of(raw),
        flexible=properties.get("orchestrationMode") == "Flexible",
        spot=priority.lower() == SPOT,
        sku=raw.get("sku") or {},
        etag=raw.get("etag") or "",
        updating=properties.get("provisioningState", "").lower() in ("creating", "updating"),
        made=properties.get("timeCreated") or "",
    )
