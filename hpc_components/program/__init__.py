"""The program of a stack whose file describes its cluster under `hpc:cluster`.

A whole Pulumi program:

    from hpc_components.program import run

    run()
"""

from typing import TypeVar

import pulumi

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.load import SpecError, load_cluster

__all__ = ["described_cluster", "run"]

Spec = TypeVar("Spec", bound=ClusterSpec)


def described_cluster(model: type[Spec]) -> Spec:
    """The cluster that the stack's file describes. `model` is a cloud's own, or `ClusterSpec` for any cloud.

    pulumi.RunError lists the errors that the rules find, or says that there is none, or one on another cloud.
    """
    described = pulumi.Config("hpc").get_object("cluster")
    if described is None:
        raise pulumi.RunError(
            f"Pulumi.{pulumi.get_stack()}.yaml describes no cluster: it has no hpc:cluster under config;"
            " `hpc schema` prints what goes there"
        )
    try:
        cluster = load_cluster(described)
    except SpecError as error:
        raise pulumi.RunError(str(error)) from None
    if not isinstance(cluster, model):
        raise pulumi.RunError(
            f"hpc:cluster describes a cluster of cloud {cluster.cloud}; the program is for another cloud"
        )
    return cluster


def run() -> None:
    """Make the described cluster, by the part `program` of its cloud."""
    cluster = described_cluster(ClusterSpec)
    cloud_named(cluster.cloud).parts.program(cluster)
