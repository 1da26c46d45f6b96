"""Capacities, throughputs and regions of FSx for Lustre, by deployment type.

Sizes are in GiB. What AWS calls 1.2 TiB for Lustre is 1,200 GiB here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hpc_components.catalog.by_kind import RecordsByKind

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreSteps:
    """Capacities that FSx offers for one kind of file system: a few small ones and all multiples of a step.

    `throughput` is the value to order, in MB/s per TiB (None for scratch), and `mbps_per_tib` is the rate delivered.
    """

    deployment: str
    storage: str
    throughput: int | None
    efa: bool
    first_gib: Sequence[int]
    step_gib: int
    mbps_per_tib: int
    source: str
    as_of: str

    def allows(self, gib: float) -> bool:
        return gib > 0 and (gib in self.first_gib or gib % self.step_gib == 0)

    @property
    def text(self) -> str:
        """The capacities, worded for messages."""
        first = f"{' and '.join(map(str, self.first_gib))} GiB and " if self.first_gib else ""
        return f"{first}multiples of {self.step_gib} GiB"


def lustre_kinds(deployment: str, *, storage: str = "ssd") -> tuple[LustreSteps, ...]:
    wanted = {"deployment": deployment, "storage": storage}
    return tuple(LustreSteps(**r) for r in facts_of_kind("capacity") if r.items() >= wanted.items())


def lustre_deployments(*, storage: str | None = None, efa: bool = False) -> tuple[str, ...]:
    sold = (r for r in facts_of_kind("capacity") if storage in (None, r["storage"]) and efa in (False, r["efa"]))
    return tuple(dict.fromkeys(r["deployment"] for r in sold))


def lustre_throughputs(deployment: str, *, storage: str = "ssd") -> tuple[int, ...]:
    """Return the throughputs that can be ordered for a deployment type, in ascending order, or () if there is no
    choice. The unit is MB/s per TiB.
    """
    kinds = lustre_kinds(deployment, storage=storage)
    return tuple(sorted({kind.throughput for kind in kinds if kind.throughput is not None}))


def lustre_versions(deployment: str) -> tuple[str, ...]:
    """Return the Lustre versions that a deployment type supports, in ascending order. File systems with EFA need
    2.15.
    """
    return next((tuple(r["versions"]) for r in facts_of_kind("version") if r["deployment"] == deployment), ())


def nearest_capacities(steps: LustreSteps, gib: int) -> tuple[int, ...]:
    """Return only `gib` if FSx offers that capacity, or else the next smaller (if any) and next larger capacities."""
    if steps.allows(gib):
        return (gib,)
    below = gib // steps.step_gib * steps.step_gib
    sold = {*steps.first_gib, below, below + steps.step_gib} - {0}
    lower, upper = [s for s in sold if s < gib], [s for s in sold if s > gib]
    return (*([max(lower)] if lower else []), min(upper))


def lustre_sold(deployment: str, region: str) -> bool | None:
    """Return whether a deployment type is available in a region, or None if this is unknown.

    FSx for Lustre itself is available in every region of the catalogue. A deployment type without a list of regions
    is therefore treated as available in all of them.
    """
    for record in facts_of_kind("regions"):
        if record["deployment"] == deployment:
            return True if region in record["offered"] else None
    return True


def lustre_limit(key: str) -> int:
    """Return the FSx for Lustre limit for `key`, such as `associations` (per file system). Raise KeyError if `key` is
    unknown.
    """
    return {record["key"]: record["value"] for record in facts_of_kind("limit")}[key]


def metadata_iops_steps() -> tuple[int, ...]:
    """Return the metadata IOPS values that can be provisioned, in ascending order."""
    (record,) = facts_of_kind("metadata_iops")
    return (*record["values"], *range(record["step"], record["most"] + 1, record["step"]))


def metadata_iops_deployments() -> tuple[str, ...]:
    return tuple(facts_of_kind("metadata_iops")[0]["deployments"])
