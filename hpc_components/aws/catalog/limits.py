"""What AWS's services allow of names, tags, buckets, budgets and images."""

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.service_limits import BudgetLimits, TagLimits

_of_kind = RecordsByKind("service_limits", __file__).records


def service_limit(key: str) -> int:
    """One limit, such as `tags.key_length`. KeyError: the catalogue has none of that name."""
    return {record["key"]: record["value"] for record in _of_kind("limit")}[key]


def budget_limits() -> BudgetLimits:
    """What AWS Budgets allows of a budget."""
    return BudgetLimits(
        notifications=service_limit("budgets.notifications"), addresses=service_limit("budgets.addresses")
    )


def tag_limits() -> TagLimits:
    """Source: AWS Tagging user guide, Tag naming limits: 50 of a resource, and keys that AWS keeps."""
    return TagLimits(own=service_limit("tags.own"), all=50, reserved=("aws:",), caseless="IAM")


def metadata_iops_steps() -> tuple[int, ...]:
    """The metadata operations per second that FSx for Lustre can be given, ascending."""
    (record,) = _of_kind("metadata_iops")
    return (*record["values"], *range(record["step"], record["most"] + 1, record["step"]))


def metadata_iops_deployments() -> tuple[str, ...]:
    """The deployment types of FSx for Lustre whose metadata operations per second can be ordered."""
    return tuple(_of_kind("metadata_iops")[0]["deployments"])


def express_zones(region: str) -> tuple[str, ...]:
    """The zone ids of a region that have S3 Express One Zone; empty where there is none."""
    return next((tuple(r["zones"]) for r in _of_kind("express_zones") if r["region"] == region), ())


def reserved_bucket_end(name: str) -> str | None:
    """The beginning or end of a bucket's name that S3 keeps for itself, or None."""
    for record in _of_kind("bucket_prefix"):
        if name.startswith(record["key"]):
            return record["key"]
    return next((record["key"] for record in _of_kind("bucket_suffix") if name.endswith(record["key"])), None)


def image_gib(os: str, machine: Machine | None = None) -> tuple[int, bool] | None:
    """The size of an operating system's public image for a machine in GiB, and whether that is sure.

    Images with the drivers of GPUs or Trainium are larger. None for a system that is not held.
    """
    accelerated = machine is not None and machine.accelerator is not None
    for record in _of_kind("image_gib"):
        if (record["accelerator"] is not None) == accelerated and record["os"] in (os, "*"):
            return record["gib"], "gib" not in record.get("unsure", ())
    return None
