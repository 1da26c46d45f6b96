"""Rules on names and counts."""

import re
from collections.abc import Iterator

from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

__all__: list[str] = []


@rule("HPC-NAM-001", Level.ERROR)
def cluster_name(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A cluster's name is letters, digits and hyphens, begins with a letter and has at most 40 characters.

    It becomes part of AWS resource names, of Slurm's ClusterName and of the accounting database's table names, which
    MariaDB limits. Source: ParallelCluster 3.16, ClusterNameValidator.
    """
    if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9-]{0,39}", cluster.name):
        yield Problem(
            path=("name",),
            value=cluster.name,
            reason=f"{cluster.name!r} can't be a cluster's name",
            remedy="use letters, digits and hyphens, a letter first, at most 40",
        )


@rule("HPC-NAM-003", Level.ERROR)
def queue_names_differ(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """No two queues have the same name.

    Node names are made of them.
    """
    first: dict[str, int] = {}
    for index, queue in enumerate(cluster.queues):
        if first.setdefault(queue.name, index) != index:
            yield Problem(
                path=("queues", index, "name"),
                value=queue.name,
                reason=f"queues[{first[queue.name]}] is called {queue.name!r} too",
                remedy="rename one of them",
            )
