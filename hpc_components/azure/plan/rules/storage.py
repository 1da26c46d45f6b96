from collections.abc import Iterator

from hpc_components.azure.plan.types import STORAGE_ACCOUNT
from hpc_components.preview.nested import text_at
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import resource_rule

_CONTAINER = "azure-native:storage:BlobContainer"


@resource_rule("HPC-PLN-015", Level.WARNING)
def closed_containers(resource: Resource) -> Iterator[ResourceFinding]:
    """Anonymous users should not be able to read blobs.

    People find public containers by guessing their names, and you pay for every download. Source: Azure
    documentation, "Prevent anonymous read access to containers and blobs".
    """
    remedy = "remove this setting, or silence this rule with a reason if blobs are meant to be public"
    if resource.type == STORAGE_ACCOUNT and resource.inputs.get("allowBlobPublicAccess") is True:
        yield ResourceFinding(
            resource=resource,
            path="allowBlobPublicAccess",
            value=True,
            reason="containers in the account can be made public",
            remedy=remedy,
        )
    access = text_at(resource.inputs, "publicAccess")
    if resource.type == _CONTAINER and access not in (None, "None"):
        yield ResourceFinding(
            resource=resource,
            path="publicAccess",
            value=access,
            reason="the container's blobs are public",
            remedy=remedy,
        )
