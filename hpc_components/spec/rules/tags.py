"""Rules on tags, as far as they are the same on every cloud."""

from collections.abc import Iterator

from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import cloud_of

__all__: list[str] = []

OURS = ("Name", "ClusterName")
"""Tags that every resource gets anyway."""


@rule("HPC-TAG-001", Level.ERROR)
def tag_count(cluster: ClusterSpec) -> Iterator[Problem]:
    """There are not more own tags than a resource has room for.

    On AWS that is 40 of 50; the others are for what the cluster itself adds. Source: on AWS, ParallelCluster 3.16,
    limit of tags.
    """
    limits = catalog_of(cluster.cloud).tag_limits()
    if limits and len(cluster.tags) > limits.own:
        yield Problem(
            path=("tags",),
            value=len(cluster.tags),
            reason=f"{len(cluster.tags)} tags are too many for a resource with {limits.all - limits.own} of the "
            "cluster's own",
            remedy=f"use at most {limits.own}",
        )


@rule("HPC-TAG-004", Level.ERROR)
def reserved_tags(cluster: ClusterSpec) -> Iterator[Problem]:
    """No tag is one of those that the cloud or the cluster itself sets.

    `ClusterName` is how budgets and the removal of nodes find what belongs to the cluster. Source: on AWS, AWS
    Tagging user guide, Tag naming limits.
    """
    limits = catalog_of(cluster.cloud).tag_limits()
    reserved = limits.reserved if limits else ()
    for key in cluster.tags:
        low = key.lower()
        if kept := next((start for start in reserved if low.startswith(start)), None):
            reason, remedy = f"keys that begin with {kept} are kept by {cloud_of(cluster)}", "leave it out"
        elif low.startswith("hpc:"):
            reason, remedy = "keys that begin with hpc: are the cluster's own", "use another key"
        elif ours := next((name for name in OURS if name.lower() == low), None):
            reason = f"every resource gets {ours} anyway"
            remedy = "the cluster's name is its value: leave it out" if ours == "ClusterName" else "leave it out"
        else:
            continue
        yield Problem(path=("tags", key), reason=reason, remedy=remedy)


@rule("HPC-TAG-005", Level.ERROR)
def tags_by_case(cluster: ClusterSpec) -> Iterator[Problem]:
    """No two tags differ in capitals only.

    To Azure, and to IAM on AWS, they are the same: resources with both are refused. Source: IAM user guide, "Tags for
    IAM resources"; Azure Resource Manager documentation, "Use tags to organize your Azure resources".
    """
    limits = catalog_of(cluster.cloud).tag_limits()
    caseless, first = limits.caseless if limits else "", dict[str, str]()
    for key in cluster.tags if caseless else ():
        if (other := first.setdefault(key.lower(), key)) != key:
            yield Problem(
                path=("tags", key),
                reason=f"{key!r} and {other!r} are the same to {caseless}",
                remedy="leave one of them out",
            )
