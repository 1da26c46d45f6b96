from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.service_limits import BudgetLimits, TagLimits

_of_kind = RecordsByKind("service_limits", __file__).records


def service_limit(key: str) -> int:
    """Return the limit for a key such as `tags.key_length`. Raise KeyError if the key is unknown."""
    return {record["key"]: record["value"] for record in _of_kind("limit")}[key]


def budget_limits() -> BudgetLimits:
    return BudgetLimits(
        notifications=service_limit("budgets.notifications"), addresses=service_limit("budgets.addresses")
    )


def tag_limits() -> TagLimits:
    """Return the limits on tags.

    Source: AWS Tagging user guide, Tag naming limits: 50 tags per resource, and reserved keys.
    """
    return TagLimits(own=service_limit("tags.own"), all=50, reserved=("aws:",), caseless="IAM")


def reserved_bucket_end(name: str) -> str | None:
    """Return the reserved prefix or suffix of a bucket name, or None if the name has neither."""
    for record in _of_kind("bucket_prefix"):
        if name.startswith(record["key"]):
            return record["key"]
    return next((record["key"] for record in _of_kind("bucket_suffix") if name.endswith(record["key"])), None)


def image_gib(os: str, machine: Machine | None = None) -> tuple[int, bool] | None:
    accelerated = machine is not None and machine.accelerator is not None
    for record in _of_kind("image_gib"):
        if (record["accelerator"] is not None) == accelerated and record["os"] in (os, "*"):
            return record["gib"], "gib" not in record.get("unsure", ())
    return None
