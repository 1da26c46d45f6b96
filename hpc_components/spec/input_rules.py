"""Titles and explanations of the checks on the inputs of recorded resources. Their ids have the form `HPC-INP-...`.

The checks themselves need the cloud's SDK. Their texts are kept here so that `hpc rules` works without the SDK.
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
            "A resource must have all properties that it requires",
            "The provider doesn't check a nested block that contains an unknown value, so Pulumi's preview "
            "may report nothing.",
            "the SDK's argument classes; the cloud's API reference for properties that depend on another",
        ),
        (
            FaultKind.UNKNOWN,
            "HPC-INP-002",
            "A resource must not have unknown properties",
            "The SDK passes on any dictionary key, so a misspelt key is refused late or has no effect.",
            "the SDK's argument classes",
        ),
        (
            FaultKind.NOT_ALLOWED,
            "HPC-INP-003",
            "A property must have an allowed value",
            "Many lists of allowed values exist only in documentation, and neither the SDK nor the Pulumi "
            "engine checks them.",
            "the SDK's enumerations and documentation or, where these list no values, the cloud's API reference",
        ),
        (
            FaultKind.WRONG_TYPE,
            "HPC-INP-004",
            "A value must have the type of its property",
            "The SDK passes on dictionary values unchanged, even if they have the wrong type. Numeric "
            "strings are accepted, because providers convert them.",
            "the SDK's argument classes",
        ),
        (
            FaultKind.OUT_OF_RANGE,
            "HPC-INP-005",
            "A number, size or length must be within its limits",
            "The cloud refuses values outside the limits, often after half of the cluster has been created.",
            "the SDK's documentation or, where it specifies no limits, the cloud's API reference",
        ),
        (
            FaultKind.MALFORMED,
            "HPC-INP-006",
            "A string must have the format that its property requires",
            "The SDK treats addresses, ARNs, policies, schedules and encoded scripts as plain strings and "
            "doesn't check their format.",
            "the cloud's API reference; for policies the IAM user guide, grammar of the JSON policy language",
        ),
        (
            FaultKind.CONFLICTING,
            "HPC-INP-007",
            "The properties of a resource must be consistent",
            "Values may be valid individually but not together, e.g. a throughput that the file system "
            "doesn't support, or a minimum above the maximum.",
            "the cloud's API reference",
        ),
    )
}
