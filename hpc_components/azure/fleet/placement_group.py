"""Proximity placement groups, which keep machines close to each other."""

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
    """Zone of the group's machines, such as `eastus-1`; with the region's name or None, Azure chooses."""
    machines: tuple[str, ...] = ()
    """VM sizes; Azure chooses a datacenter that has all of them. If a zone is given, at least one size is required,
    because the first machine then doesn't determine the datacenter."""
    fabric: bool = False
    """Whether the machines share InfiniBand. If so, the arguments are refused, because a scale set with a single
    placement group already keeps its machines close together."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError for what Azure would refuse, and for what would only reduce the available capacity."""
        if self.fabric:
            raise ValueError(
                "PlacementGroupArgs.fabric: a scale set with InfiniBand is a single placement group, whose machines"
                " share a fabric; a proximity placement group would only make launches fail; leave it out"
            )
        if self.zone_number and not self.machines:
            raise ValueError(
                "PlacementGroupArgs.machines: a group in a zone needs its machine types; name them, or leave the"
                " zone out"
            )
        for index, name in enumerate(self.machines):
            if name in self.machines[:index]:
                raise ValueError(f"PlacementGroupArgs.machines[{index}]: {name!r} is a duplicate; remove one")

    @property
    def zone_number(self) -> str | None:
        """Zone number in Azure Resource Manager, or None if no zone is given."""
        return number_of_zone("PlacementGroupArgs.zone", self.zone, self.group.location) if self.zone else None


class PlacementGroup(Component[PlacementGroupArgs]):
    """A proximity placement group, whose machines are in the same datacenter.

    It helps jobs that communicate over Ethernet or need low-latency storage access. The more machine types a group
    has and the more often nodes are launched, the more launches fail for lack of capacity, so give each fleet its own
    group. Source: Azure documentation, "Proximity placement groups", best practices.
    """

    group_id: pulumi.Output[str]
    """Id of the group, to be passed to fleets."""

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
