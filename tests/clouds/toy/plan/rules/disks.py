"""A rule on disks."""

from collections.abc import Iterator

from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import resource_rule


@resource_rule("HPC-TOY-003", Level.WARNING)
def no_slow_disk(resource: Resource) -> Iterator[ResourceFinding]:
    """No disk is a slow one.

    The tide takes them. Source: made up for tests.
    """
    if resource.type == "gcp:compute/disk:Disk" and resource.text("type") == "slow":
        yield ResourceFinding(
            resource=resource, path="type", value="slow", reason="it is slow", remedy="use type: fast"
        )
