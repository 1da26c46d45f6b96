"""Rules on the names and values of tags."""

from collections.abc import Iterator

from hpc_components.azure.catalog.limits import reserved_tag_beginning, service_limit
from hpc_components.azure.catalog.tag_names import wrong_tag_name, wrong_tag_value
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules.tags import RESERVED_TAGS


@rule("HPC-TAG-006", Level.ERROR)
def tag_names(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Names of tags have 1 to 128 characters of plain text, and none of `<>%&\\?/`.

    Storage accounts take the shortest names. Source: Azure Resource Manager documentation, "Use tags to organize your
    Azure resources", limitations.
    """
    for key in cluster.tags:
        if reserved_tag_beginning(key) is None and (wrong := wrong_tag_name(key)):
            yield Problem(path=("tags", key), reason=wrong[0], remedy=wrong[1])


@rule("HPC-TAG-007", Level.ERROR)
def tag_values(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Values of tags have at most 256 characters.

    Source: Azure Resource Manager documentation, "Use tags to organize your Azure resources", limitations.
    """
    for key, value in cluster.tags.items():
        if wrong := wrong_tag_value(value):
            yield Problem(path=("tags", key), value=value, reason=wrong[0], remedy=wrong[1])


@rule("HPC-TAG-008", Level.ERROR)
def tags_of_a_zone(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """With private endpoints, there are at most 13 own tags.

    Their DNS zones take 15, two of which are the cluster's own. Source: Azure Resource Manager documentation, "Use
    tags to organize your Azure resources", limitations.
    """
    most = service_limit("tags.private_dns_zone") - len(RESERVED_TAGS)
    existing = cluster.network.existing
    given = set(existing.dns_zones) if existing is not None else set()
    if set(cluster.network.endpoints) - given and len(cluster.tags) > most:
        yield Problem(
            path=("tags",),
            value=len(cluster.tags),
            reason=f"{len(cluster.tags)} tags are too many for the DNS zones of private endpoints, which take {most}",
            remedy=f"use at most {most}, or no endpoints",
        )
