"""For tests of single rules: a small right cluster, and what a rule says when something of it is changed."""

from typing import Any

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem, dotted
from hpc_components.spec.rule import find_rule

GROUP = "sg-0123456789abcdef0"


def queue(**changes: Any) -> dict[str, Any]:
    return {"name": "cpu", "machine": "c7i.4xlarge", "max": 4} | changes


def existing(**changes: Any) -> dict[str, Any]:
    return {
        "existing": {
            "vpc": "vpc-0123456789abcdef0",
            "cidr": "10.0.0.0/16",
            "private": {"use2-az2": {"id": "subnet-0123456789abcdef0", "cidr": "10.0.0.0/20"}},
        }
        | changes
    }


def cluster(**changes: Any) -> AwsClusterSpec:
    """A right cluster in us-east-2 with some of its keys changed."""
    right = {
        "cloud": "aws",
        "name": "cfd",
        "region": "us-east-2",
        "zone": "use2-az2",
        "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": "c6i.xlarge"},
        "queues": [queue()],
    }
    return AwsClusterSpec.model_validate(right | changes)


def problems(id: str, **changes: Any) -> list[Problem]:
    """What the rule `id` says of `cluster(**changes)`."""
    rule = find_rule(id)
    assert rule is not None, f"there is no rule {id}"
    return list(rule(cluster(**changes)))


def paths(id: str, **changes: Any) -> list[str]:
    """Where the rule `id` finds something in `cluster(**changes)`."""
    return [dotted(problem.path) for problem in problems(id, **changes)]


def levels(id: str, **changes: Any) -> list[Level]:
    """How bad it is what the rule `id` finds."""
    rule = find_rule(id)
    assert rule is not None
    return [problem.level or rule.level for problem in problems(id, **changes)]
