from collections.abc import Iterator

from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import cloud_of
from hpc_components.spec.rules._values import Wrong, tag_keys, value_rule

RESERVED_TAGS = ("Name", "ClusterName")
"""Tags that the cluster sets on every resource."""


@rule("HPC-TAG-001", Level.ERROR)
def tag_count(cluster: ClusterSpec) -> Iterator[Problem]:
    """The number of user tags must be within the limit.

    On AWS, users may set 40 of the 50 tags; the cluster itself adds the others. Source: on AWS, ParallelCluster 3.16,
    tag limit.
    """
    limits = catalog_of(cluster.cloud).tag_limits()
    if limits and len(cluster.tags) > limits.own:
        yield Problem(
            path=("tags",),
            value=len(cluster.tags),
            reason=f"{len(cluster.tags)} tags are too many, because {limits.all - limits.own} of a resource's "
            f"{limits.all} tags are reserved for the cluster",
            remedy=f"use at most {limits.own}",
        )


@value_rule("HPC-TAG-004", Level.ERROR, tag_keys)
def reserved_tags(cluster: ClusterSpec, path: Path, value: None, key: str) -> Wrong | None:
    """Tags must not have keys that the cloud or the cluster reserves.

    For example, `ClusterName` is reserved, because budgets and node removal use this tag to identify the cluster's
    resources. Source: on AWS, AWS Tagging user guide, Tag naming limits.
    """
    limits, low = catalog_of(cluster.cloud).tag_limits(), key.lower()
    if kept := next((start for start in (limits.reserved if limits else ()) if low.startswith(start)), None):
        return f"{cloud_of(cluster)} reserves keys that begin with {kept}", "leave it out"
    if low.startswith("hpc:"):
        return "the cluster reserves keys that begin with hpc:", "use another key"
    if ours := next((name for name in RESERVED_TAGS if name.lower() == low), None):
        remedy = (
            "remove this tag; its value is always the cluster's name" if ours == "ClusterName" else "leave it out"
        )
        return f"the cluster sets {ours} on every resource", remedy
    return None


@rule("HPC-TAG-005", Level.ERROR)
def tags_by_case(cluster: ClusterSpec) -> Iterator[Problem]:
    """Tag keys must not differ only in case.

    Azure and AWS IAM treat such tags as duplicates, and refuse resources that have both. Source: IAM user guide,
    "Tags for IAM resources"; Azure Resource Manager documentation, "Use tags to organize your Azure resources".
    """
    limits = catalog_of(cluster.cloud).tag_limits()
    caseless, first = limits.caseless if limits else "", dict[str, str]()
    for key in cluster.tags if caseless else ():
        if (other := first.setdefault(key.lower(), key)) != key:
            yield Problem(
                path=("tags", key),
                reason=f"{caseless} treats {key!r} and {other!r} as duplicates",
                remedy="remove one of the two tags",
            )
