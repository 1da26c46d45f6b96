"""The program of a stack whose file describes its cluster under `hpc:cluster`.

A whole Pulumi program:

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
    """Make the cluster that the stack file describes, and export its outputs.

    Raises pulumi.RunError, which says what is wrong, for a bad description.
    """
    described = description_of_stack()
    cloud = described.get("cloud") if isinstance(described, Mapping) else None
    if cloud not in CLOUDS:
        described_cluster(ClusterSpec)  # raises, with all errors of the description
    cluster = cloud_named(str(cloud)).parts.cluster(str(described.get("name", "cluster")))
    for name, value in cluster.outputs.items():
        pulumi.export(name, value)
