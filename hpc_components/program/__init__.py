"""Creates the cluster described under `hpc:cluster` in a stack file.

This is a complete Pulumi program:

    from hpc_components.program import run

    run()
"""

from collections.abc import Mapping

import pulumi

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.program.described import described_cluster, description_of_stack
from hpc_components.spec.cluster import ClusterSpec

__all__ = ["described_cluster", "run"]


def run() -> None:
    """Create the cluster described in the stack file, and export its outputs.

    Raise pulumi.RunError, which lists all errors, if the description is invalid.
    """
    described = description_of_stack()
    cloud = described.get("cloud") if isinstance(described, Mapping) else None
    if cloud not in CLOUDS:
        described_cluster(ClusterSpec)  # raises an error that lists all problems in the description
    cluster = cloud_named(str(cloud)).parts.cluster(str(described.get("name", "cluster")))
    for name, value in cluster.outputs.items():
        pulumi.export(name, value)
