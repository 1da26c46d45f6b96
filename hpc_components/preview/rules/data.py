"""Rules on what holds the data of users."""

from collections.abc import Iterator

from hpc_components.preview.clouds import reader_of_type
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import resource_rule

__all__: list[str] = []

_OURS = "hpc:"


@resource_rule("HPC-PLN-004", Level.WARNING)
def data_is_protected(resource: Resource) -> Iterator[ResourceFinding]:
    """File systems and disks of a program's own are protected: a destroy or a replacement would take their data.

    Our components protect what they make unless they are told otherwise (`retain=False`, `throw_away: true`), so this
    looks only at what is made beside them. Buckets are left out: clouds delete none that has objects in it.
    Source: Pulumi documentation, "protect".
    """
    is_ours = any(type.startswith(_OURS) for type in resource.urn.split("::")[2].split("$")[:-1])
    if not resource.protect and not is_ours and reader_of_type(resource.type).holds_data(resource):
        yield ResourceFinding(
            resource=resource,
            path="",
            reason="`pulumi destroy`, or a change that replaces it, would delete its data",
            remedy="pass opts=pulumi.ResourceOptions(protect=True)",
        )
