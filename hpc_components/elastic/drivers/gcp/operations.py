from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpc_components.elastic.drivers.gcp.compute import Compute, Request
from hpc_components.elastic.drivers.gcp.errors import GceError

DONE = "DONE"
FIELDS = "items(operationType,targetLink,targetId,error),nextPageToken"


@dataclass(frozen=True)
class Inserted:
    """The outcome of a bulk insert for one machine."""

    numeric: str
    """Number of the machine. Empty if the machine was not created."""
    error: GceError | None


def unfinished(compute: Compute, zone: str, operations: dict[str, Mapping[str, Any]]) -> int:
    """Update the `operations` that are in progress, in one call. Return how many are still in progress.

    The call requests each operation by name instead of listing them with a filter, because a filtered list counts
    against a different quota. Source: slurm-gcp, pull request 4091 of cluster-toolkit.
    """
    open_ = [name for name, told in operations.items() if told.get("status") != DONE]
    requests = [Request(method="GET", path=f"zones/{zone}/operations/{name}") for name in open_]
    for name, told in zip(open_, compute.all(requests), strict=True):
        if not isinstance(told, GceError):
            operations[name] = told
        elif not told.throttled:
            raise told
    return sum(told.get("status") != DONE for told in operations.values())


def inserted(
    compute: Compute, zone: str, groups: Collection[str], enough: Callable[[GceError], bool]
) -> Mapping[str, Inserted]:
    """Return the outcome for each machine in these bulk inserts, keyed by machine name.

    Stop reading as soon as `enough` returns true for an error.
    """
    told: dict[str, Inserted] = {}
    for some in _slices(sorted(groups), 20):
        chosen = " OR ".join(f'(operationGroupId="{group}")' for group in some)
        for page in compute.pages(f"zones/{zone}/operations", filter=chosen, fields=FIELDS):
            for raw in page.get("items") or ():
                if "bulk" in raw["operationType"].lower() or not raw["operationType"].endswith("insert"):
                    continue
                name, error = raw["targetLink"].rpartition("/")[2], GceError.in_operation(raw)
                told[name] = Inserted("" if error else str(raw.get("targetId") or ""), error)
            if any(each.error and enough(each.error) for each in told.values()):
                return told
    return told


def _slices(groups: Sequence[str], size: int) -> list[Sequence[str]]:
    return [groups[start : start + size] for start in range(0, len(groups), size)]
