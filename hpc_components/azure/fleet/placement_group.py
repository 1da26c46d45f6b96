from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.components.zone_argument import number_of_zone
from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags
from hpc_components.component import Component


@dataclass(frozen=True, kw_only=True)
@checked_args
class PlacementGroupArgs:
    """Arguments of `PlacementGroup`."""

    group: Group
    """Resource group of the proximity placement group."""
    zone: str | None = None
    """Zone of the group's machines, such as `eastus-1`. If the zone is None or the region's name, Azure chooses the
    zone."""
    machines: tuple[str, ...] = ()
    """VM sizes that the group must support; Azure chooses a datacenter that offers all of them. At least one size is
    required if a zone is given, because the first machine then doesn't determine the datacenter."""
    fabric: bool = False
    """Whether the machines share InfiniBand. True raises `ValueError`, because a scale set with a single placement
    group already keeps its machines close together."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError if Azure would refuse the arguments, or if the group would only reduce the available
        capacity.
        """
        if self.fabric:
            raise ValueError(
                "PlacementGroupArgs.fabric: a scale set with InfiniBand already keeps its machines close "
                "together, and a proximity placement group would only make launches fail; leave the "
                "proximity placement group out"
            )
        if self.zone_number and not self.machines:
            raise ValueError(
                "PlacementGroupArgs.machines: a group in a zone must list its machine types; list them, or "
                "leave the zone out"
            )
        for index, name in enumerate(self.machines):
            if name in self.machines[:index]:
                raise ValueError(f"PlacementGroupArgs.machines[{index}]: {name!r} is a duplicate; remove it")

    @property
    def zone_number(self) -> str | None:
        """Zone number in Azure Resource Manager, or None if no specific zone is given."""
        return number_of_zone("PlacementGroupArgs.zone", self.zone, self.group.location) if self.zone else None


class PlacementGroup(Component[PlacementGroupArgs]):
    """A proximity placement group, which keeps its machines in the same datacenter.

    Such a group helps jobs that communicate over Ethernet or need low-latency access to storage. Launches fail for
    lack of capacity more often if the group has many machine types or if nodes are launched frequently, so give each
    fleet its own group. Source: Azure documentation, "Proximity placement groups", best practices.
    """

    group_id: pulumi.Output[str]
    """Id of the group, to pass to fleets."""

    def _make(self, name: str, args: PlacementGroupArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:PlacementGroup", name, {"machines": list(args.machines)}, opts)
        compute = azure_native.compute
        intent = compute.ProximityPlacementGroupPropertiesIntentArgs(vm_sizes=list(args.machines))
        group = compute.ProximityPlacementGroup(
            name,
            resource_group_name=args.group.name,
            location=args.group.location,
            proximity_placement_group_type=compute.ProximityPlacementGroupType.STANDARD,
            zones=[args.zone_number] if args.zone_number else None,
            intent=intent if args.machines else None,
            tags=args.tags.for_resource(name),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.group_id = group.id
        self.register_outputs({"groupId": self.group_id})
