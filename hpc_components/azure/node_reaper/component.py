from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.names import wrong_name
from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags
from hpc_components.component import Component


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeReaperArgs:
    """Arguments of `NodeReaper`."""

    group_name: str
    """Name of the resource group. The group must contain only compute nodes, because everything in it is deleted."""
    location: str
    """Azure's name for the region."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        if wrong := wrong_name("resource_group", self.group_name):
            raise ValueError(f"NodeReaperArgs.group_name: {self.group_name!r}: {wrong[0]}; {wrong[1]}")


class NodeReaper(Component[NodeReaperArgs]):
    """A resource group for a cluster's scale sets. Deleting the group deletes every machine in it, including machines
    that are not in Pulumi's state.

    The head node launches compute nodes on its own. While these nodes run, their subnets and identities can't be
    deleted. Deleting a resource group deletes everything in it and waits for completion, so no cleanup function and
    no extra permissions are needed. Make this component depend on the network (`depends_on`), put the fleets into its
    group, and make the head node depend on the fleets. A destroy runs in reverse order: it first deletes the head
    node, so that no more nodes are launched, then the scale sets and this group, and finally everything else.
    """

    group: Group
    """The resource group."""
    group_name: Output[str]
    """Name of the resource group."""
    everything: pulumi.Resource
    """The resource group as a resource, for the option `deleted_with` of what is in it."""

    def _make(self, name: str, args: NodeReaperArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:NodeReaper", name, {"group": args.group_name}, opts)
        made = azure_native.resources.ResourceGroup(
            name,
            resource_group_name=args.group_name,
            location=args.location,
            tags=args.tags.for_resource(name),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.group = Group(name=made.name, id=made.id, location=args.location)
        self.group_name = made.name
        self.everything = made
        self.register_outputs({"groupName": self.group_name})
