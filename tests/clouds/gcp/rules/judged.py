"""For tests of Google Cloud's rules: a small valid cluster, and findings after changes of it."""

from typing import Any

from hpc_components.gcp.spec import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem, dotted
from hpc_components.spec.rule import find_rule, rules_for

PROJECT = "projects/my-hpc-project"
HOME = {"type": "nfs", "mount": "/home", "size": "1TiB"}


def queue(**changes: Any) -> dict[str, Any]:
    return {"name": "compute", "machine": "c2-standard-60", "max": 4} | changes


def subnet(name: str, cidr: str, project: str = PROJECT) -> dict[str, str]:
    return {"id": f"{project}/regions/us-central1/subnetworks/{name}", "cidr": cidr}


def cards(*subnets: tuple[str, str]) -> dict[str, Any]:
    """Return a network for additional cards, with subnets of these names and ranges."""
    return {
        "network": f"{PROJECT}/global/networks/{subnets[0][0]}",
        "subnets": [subnet(name, cidr) for name, cidr in subnets],
    }


def existing(project: str = PROJECT, **changes: Any) -> dict[str, Any]:
    network = {
        "network": f"{project}/global/networks/site",
        "cidr": "10.0.0.0/16",
        "private": {"us-central1": subnet("nodes", "10.0.0.0/20", project)},
        "services": True,
    }
    return {"network": {"existing": network | changes}}


def cluster(**changes: Any) -> GcpClusterSpec:
    """Return a valid cluster in us-central1 with some keys changed."""
    right = {
        "cloud": "gcp",
        "name": "cfd",
        "project": "my-hpc-project",
        "region": "us-central1",
        "zone": "us-central1-a",
        "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": "n2-standard-4"},
        "storage": {"home": HOME},
        "queues": [queue()],
    }
    return GcpClusterSpec.model_validate(right | changes)


def problems(id: str, **changes: Any) -> list[Problem]:
    """Return the problems that rule `id` finds in `cluster(**changes)`."""
    rule = find_rule(id)
    assert rule is not None, f"there is no rule {id}"
    return list(rule(cluster(**changes)))


def said_of(**changes: Any) -> dict[tuple[str, str], tuple[Level, str]]:
    """Return level and reason of all findings, by rule and place."""
    described = cluster(**changes)
    return {
        (rule.id, dotted(problem.path)): (problem.level or rule.level, problem.reason)
        for rule in rules_for(described)
        for problem in rule(described)
    }
