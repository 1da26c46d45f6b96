"""Clusters for tests of generated configuration."""

from pathlib import Path
from typing import Any

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.load import load_cluster
from hpc_components.spec.project import find_project

STACKS = ("aws-cfd", "aws-dev", "aws-ultracluster", "aws-university")
"""The reference clusters."""


def stack(name: str) -> AwsClusterSpec:
    """The cluster that a stack of this project describes."""
    return load_cluster(find_project(Path(__file__).parent).open(name).cluster.data)


def queue(**changes: Any) -> dict[str, Any]:
    """A queue of two small nodes, described, with some keys changed."""
    return {"name": "cpu", "machine": "c7i.large", "max": 2} | changes


def cluster(*queues: dict[str, Any], **changes: Any) -> AwsClusterSpec:
    """A small cluster with these queues."""
    described = {
        "cloud": "aws",
        "name": "lab",
        "region": "us-east-2",
        "zone": "use2-az2",
        "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": "c6i.xlarge"},
        "storage": {"home": {"type": "efs", "mount": "/home"}},
        "queues": list(queues) or [queue()],
    }
    return load_cluster(described | changes)


def keys(text: str) -> dict[str, str]:
    """`Key=value` by key, of the lines that have one."""
    lines = (line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
    return {key: value for key, value in lines if key not in ("NodeName", "PartitionName", "SwitchName")}


def line(text: str, kind: str, name: str) -> dict[str, str]:
    """The keys of the line `<kind>=<name> ...`."""
    (found,) = (each for each in text.splitlines() if each.startswith(f"{kind}={name} "))
    return dict(part.split("=", 1) for part in found.split())
