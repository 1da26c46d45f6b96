from collections.abc import Iterator

from hpc_components.azure.catalog.limits import reserved_tag_beginning, service_limit
from hpc_components.azure.catalog.tag_names import wrong_tag_name, wrong_tag_value
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._values import Wrong, tag_keys, tag_values, value_rule
from hpc_components.spec.rules.tags import RESERVED_TAGS


@value_rule("HPC-TAG-006", Level.ERROR, tag_keys)
def tag_names(_: AzureClusterSpec, path: Path, value: None, name: str) -> Wrong | None:
    r"""Tag names on Azure must consist of 1 to 128 ASCII characters and contain none of `<>%&\?/`.

    The limit is the one for storage accounts, which is the lowest. Source: Azure Resource Manager documentation, "Use
    tags to organize your Azure resources", limitations.
    """
    return None if reserved_tag_beginning(name) else wrong_tag_name(name)


@value_rule("HPC-TAG-007", Level.ERROR, tag_values)
def allowed_values(_: AzureClusterSpec, path: Path, value: str) -> Wrong | None:
    """Tag values on Azure must have at most 256 characters.

    Source: Azure Resource Manager documentation, "Use tags to organize your Azure resources", limitations.
    """
    return wrong_tag_value(value)


@rule("HPC-TAG-008", Level.ERROR)
def tags_of_a_zone(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A cluster with private endpoints may specify at most 13 tags.

    The endpoints' DNS zones accept 15 tags, and the cluster adds two. Source: Azure Resource Manager documentation,
    "Use tags to organize your Azure resources", limitations.
    """
    most = service_limit("tags.private_dns_zone") - len(RESERVED_TAGS)
    existing = cluster.network.existing
    given = set(existing.dns_zones) if existing is not None else set()
    if set(cluster.network.endpoints) - given and len(cluster.tags) > most:
        yield Problem(
            path=("tags",),
            value=len(cluster.tags),
            reason=f"the DNS zones of private endpoints accept at most {most} tags from the description, which has "
            f"{len(cluster.tags)}",
            remedy=f"use at most {most} tags, or no private endpoints",
        )
