"""Titles and explanations of the checks that are applied to recorded resources' inputs. Ids are `HPC-INP-...`.

The checks themselves need the cloud's SDK. Their texts are kept here so that `hpc rules` works without it.
"""

from enum import StrEnum

from hpc_components.spec.findings import Level
from hpc_components.spec.rule import RuleText


class FaultKind(StrEnum):
    """Ways in which a resource's input can be wrong."""

    MISSING = "missing"
    UNKNOWN = "unknown"
    NOT_ALLOWED = "not_allowed"
    WRONG_TYPE = "wrong_type"
    OUT_OF_RANGE = "out_of_range"
    MALFORMED = "malformed"
    CONFLICTING = "conflicting"


INPUT_RULES = {
    kind: RuleText(id, Level.ERROR, title, f"{why}\nSource: {source}.")
    for kind, id, title, why, source in (
        (
            FaultKind.MISSING,
            "HPC-INP-001",
            "A resource has all properties that it needs",
            "The provider skips a nested block if a value in it is unknown, so Pulumi's preview may report nothing.",
            "the SDK's argument classes; the cloud's API reference for properties that depend on another",
        ),
        (
            FaultKind.UNKNOWN,
            "HPC-INP-002",
            "A resource has no unknown properties",
            "The SDK passes on any key of a dictionary; a misspelt one is refused late or has no effect.",
            "the SDK's argument classes",
        ),
        (
            FaultKind.NOT_ALLOWED,
            "HPC-INP-003",
            "A value is one that its property allows",
            "Many lists of values exist in documentation only, and neither SDK nor engine checks them.",
            "the SDK's enumerations and documentation; the cloud's API reference where they lack a list",
        ),
        (
            FaultKind.WRONG_TYPE,
            "HPC-INP-004",
            "A value has the type of its property",
            "The SDK passes on a dictionary's values unchanged. Numeric strings pass: providers convert them.",
            "the SDK's argument classes",
        ),
        (
            FaultKind.OUT_OF_RANGE,
            "HPC-INP-005",
            "A number, size or length is within its limits",
            "The cloud refuses other values, often after half of the cluster has been created.",
            "the SDK's documentation; the cloud's API reference if that names no limits",
        ),
        (
            FaultKind.MALFORMED,
            "HPC-INP-006",
            "A string has the format that its property needs",
            "For the SDK, addresses, ARNs, policies, schedules and encoded scripts are plain strings.",
            "the cloud's API reference; for policies the IAM user guide, grammar of the JSON policy language",
        ),
        (
            FaultKind.CONFLICTING,
            "HPC-INP-007",
            "The properties of a resource are consistent",
            "Each may be valid alone: a throughput that this file system can't have; a minimum above the maximum.",
            "the cloud's API reference",
        ),
    )
}
"""Id, level, title and explanation for each kind of fault."""
