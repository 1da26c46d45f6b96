from collections.abc import Iterator

from hpc_components.preview.clouds import reader_of_type
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import resource_rule

_COMPONENT_PREFIX = "hpc:"


@resource_rule("HPC-PLN-004", Level.WARNING)
def data_is_protected(resource: Resource) -> Iterator[ResourceFinding]:
    """File systems and disks outside our components must be protected, because otherwise their data could be deleted.

    Without `protect`, destroying or replacing the resource deletes its data. Our components protect their resources
    unless `retain=False` or `throw_away: true` is set, so this rule checks only other resources. Buckets are exempt
    because clouds refuse to delete a bucket that contains objects. Source: Pulumi documentation, "protect".
    """
    is_ours = any(type.startswith(_COMPONENT_PREFIX) for type in resource.urn.split("::")[2].split("$")[:-1])
    if not resource.protect and not is_ours and reader_of_type(resource.type).holds_data(resource):
        yield ResourceFinding(
            resource=resource,
            path="",
            reason="`pulumi destroy` or a replacement would delete this resource's data",
            remedy="pass opts=pulumi.ResourceOptions(protect=True)",
        )
