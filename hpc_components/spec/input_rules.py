"""What `hpc preview` checks in the inputs of recorded resources. Ids are `HPC-INP-...`.

The checks need the cloud's SDK; their texts are here, so that `hpc rules` works without it.
"""

from enum import StrEnum

from hpc_components.spec.findings import Level
from hpc_components.spec.rule import RuleText

__all__ = ["INPUT_RULES", "FaultKind"]


class FaultKind(StrEnum):
    """The kinds of faults in an input of a resource."""

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
            "A property that a resource needs is given",
            "The provider skips a nested block once one value in it is unknown: a real preview may say nothing.",
            "the SDK's argument classes; the cloud's API reference for what another property makes necessary",
        ),
        (
            FaultKind.UNKNOWN,
            "HPC-INP-002",
            "A property that is given is one that the resource has",
            "In a dictionary the SDK passes any name on; a misspelt one is refused late or has no effect.",
            "the SDK's argument classes",
        ),
        (
            FaultKind.NOT_ALLOWED,
            "HPC-INP-003",
            "A value is one of those that its property allows",
            "Many lists of values stand in documentation only, and nobody looks before the cloud does.",
            "the SDK's enumerations and documentation; the cloud's API reference where they lack a list",
        ),
        (
            FaultKind.WRONG_TYPE,
            "HPC-INP-004",
            "A value has the type of its property",
            "The SDK passes a dictionary's values on as they are. A number as text passes: providers convert it.",
            "the SDK's argument classes",
        ),
        (
            FaultKind.OUT_OF_RANGE,
            "HPC-INP-005",
            "A number, size or length is within its limits",
            "The cloud refuses it, often after half of the cluster was made.",
            "the SDK's documentation; the cloud's API reference where that names no limits",
        ),
        (
            FaultKind.MALFORMED,
            "HPC-INP-006",
            "A text has the format that its property needs",
            "To the SDK addresses, ARNs, policies, schedules and encoded scripts are texts like any other.",
            "the cloud's API reference; for policies the IAM user guide, grammar of the JSON policy language",
        ),
        (
            FaultKind.CONFLICTING,
            "HPC-INP-007",
            "The properties of a resource fit together",
            "Each can be right alone: a throughput, but not of this file system; a minimum above the maximum.",
            "the cloud's API reference",
        ),
    )
}
"""Id, level, title and explanation of each kind of fault."""
