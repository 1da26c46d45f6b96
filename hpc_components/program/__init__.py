"""The program of a stack whose file describes its cluster under `hpc:cluster`.

A whole Pulumi program:

    from hpc_components.program import run

    run()
"""

from importlib import import_module

import pulumi

from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.load import SpecError, load_cluster

__all__ = ["described_cluster", "run"]


def described_cluster() -> AwsClusterSpec:
    """The cluster that the stack's file describes. pulumi.RunError lists what is wrong with it, if any rule finds an
    error.
    """
    try:
        return load_cluster(pulumi.Config("hpc").require_object("cluster"))
    except SpecError as error:
        raise pulumi.RunError(str(error)) from None


def run() -> None:
    """Make the described cluster on its cloud, whose package composes it in `program.py`."""
    cluster = described_cluster()
    import_module(f"hpc_components.{cluster.cloud}.program").main(cluster)
