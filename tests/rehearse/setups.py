"""Setups for tests that start nothing."""

from pathlib import Path
from typing import Any

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.boot.name_service import name_files
from hpc_components.rehearse.cluster.adapt import Times
from hpc_components.rehearse.cluster.setup import Setup
from hpc_components.slurm import slurm_files
from tests.rehearse.performing import described


def setup_of(cluster: AwsClusterSpec | str) -> Setup:
    """The setup of a cluster, or of the one that a stack describes, for Slurm 22.05."""
    if isinstance(cluster, str):
        cluster = described(cluster)
    return Setup(
        cluster=cluster,
        root=Path("/"),
        release="22.05.8",
        files=slurm_files(cluster, version="22.05"),
        name_files=name_files(cluster),
        changes=(),
        times=Times(),
        cgroups=True,
    )


def changed(stack: str, **parts: Any) -> AwsClusterSpec:
    """The cluster of a stack with other parts, as they are written in a stack file."""
    data = described(stack).model_dump(mode="json", exclude_unset=True)
    return AwsClusterSpec.model_validate(data | parts)
