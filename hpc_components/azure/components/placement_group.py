"""Placement groups: machines near to one another."""

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
    """Resource group for it."""
    zone: str | None = None
    """Zone of its machines, as in `eastus-1`; the region alone or nothing where Azure is to choose."""
    machines: tuple[str, ...] = ()
    """The machine types that it is for, which Azure then looks for in one datacenter. With a zone there must be one
    at least: which datacenter of the zone it is can't be decided by the first machine then."""
    fabric: bool = False
    """Whether the machines share InfiniBand. There is no such group then: a scale set with a single placement group
    is one already."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what Azure would refuse, and what would only cost capacity."""
        if self.fabric:
            raise ValueError(
                "PlacementGroupArgs.fabric: a scale set with InfiniBand is a single placement group, whose machines"
                " share a fabric; a proximity placement group adds nothing but failed launches; make none"
            )
        if self.zone_number and not self.machines:
            raise ValueError(
                "PlacementGroupArgs.machines: a group in a zone must know its machine types; name them, or leave the"
                " zone out"
            )
        for index, name in enumerate(self.machines):
            if name in self.machines[:index]:
                raise ValueError(f"PlacementGroupArgs.machines[{index}]: {name!r} is there twice; remove one")

    @property
    def zone_number(self) -> str | None:
        """What Resource Manager calls the zone."""
        return number_of_zone("PlacementGroupArgs.zone", self.zone, self.group.location) if self.zone else None


class PlacementGroup(Component[PlacementGroupArgs]):
    """A proximity placement group: its machines are in one datacenter.

    It is for jobs that talk over Ethernet, and for latency to storage; the more machine types are in it, and the more
    nodes come and go, the more launches fail for want of capacity. Give each fleet its own.
    Source: Azure documentation, "Proximity placement groups", best practices.
    """

    group_id: pulumi.Output[str]
    """Id of the group: what fleets take."""

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
