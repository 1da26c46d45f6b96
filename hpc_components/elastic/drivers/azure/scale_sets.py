"""Finds a cluster's scale sets by their tags. Each queue has one scale set per machine type and zone."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.elastic.drivers.azure.arm import ONE_SET, SETS, Arm
from hpc_components.elastic.model import Pool

SPOT = "spot"


@dataclass(frozen=True, kw_only=True)
class ScaleSet:
    id: str
    """Resource id, e.g. `/subscriptions/.../virtualMachineScaleSets/<name>`."""
    name: str
    """Name of the scale set and of its blob."""
    pool: Pool
    flexible: bool
    """Whether the scale set is flexible. The machines of a flexible scale set are ordinary virtual machines, and
    can't be in a single placement group."""
    spot: bool
    sku: Mapping[str, Any]
    """Machine type, tier and capacity, in the format that Azure expects in requests."""
    etag: str
    """ETag, which changes with every change of the scale set. Empty if Azure did not return one."""
    updating: bool
    made: str = ""
    """Creation time in Azure's format. Shows which scale set is the newest, because changing a queue creates a new
    one in addition to the old one."""

    @property
    def capacity(self) -> int:
        """Target number of machines, including failed ones.

        Never base a request on this number alone. After a deletion, Azure sometimes updates the number late, or
        reports 0 for a moment although machines exist.
        """
        return int(self.sku.get("capacity") or 0)


def read_scale_sets(arm: Arm, group: str, cluster: str, config: str) -> Iterator[ScaleSet]:
    """Yield the scale sets in a resource group that are tagged with the cluster's name and config bucket. `group` is
    the resource group's id.
    """
    place = f"{group}/providers/Microsoft.Compute/virtualMachineScaleSets"
    for raw in tagged(arm.pages(place, bucket=SETS), cluster, config, role="compute"):
        yield _scale_set(raw)


def tagged(
    every: Iterable[Mapping[str, Any]], cluster: str, config: str, *, role: str
) -> Iterator[Mapping[str, Any]]:
    ours = {"ClusterName": cluster, "hpc:config": config, "hpc:role": role}
    return (raw for raw in every if ours.items() <= (raw.get("tags") or {}).items())


def pool_of(raw: Mapping[str, Any]) -> Pool:
    tags = raw.get("tags") or {}
    queue, machine, zone, purchase = (
        tags.get(f"hpc:{what}", "") for what in ("queue", "machine", "zone", "purchase")
    )
    return Pool(queue=queue, machine=machine, zone=zone, purchase=purchase)


def read_scale_set(arm: Arm, id: str) -> ScaleSet:
    """Read one scale set. Raise ArmError with status 404 if it no longer exists."""
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
