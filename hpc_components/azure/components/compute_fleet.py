"""The scale sets of one queue, for every machine type and zone, or its availability sets."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.zones import zone_number
from hpc_components.azure.components import machine_profile as profile
from hpc_components.azure.components.availability_set import NamedMachines, make_availability_set
from hpc_components.azure.components.fleet_checks import (
    check_capacity,
    check_ephemeral_root,
    check_machines,
    check_purchase,
    check_size,
    check_zones,
    fabric_of,
)
from hpc_components.azure.components.node_checks import (
    check_admin,
    check_disk,
    check_image,
    check_image_plan,
    check_tags,
    check_user_data,
)
from hpc_components.azure.components.node_grants import compute_grants
from hpc_components.azure.components.node_identity import identity_ids, identity_marks, service_marks
from hpc_components.azure.components.roles import grant
from hpc_components.azure.components.short_names import scale_set_end, short_name
from hpc_components.azure.ports import FleetRef, Group, Identities, Network, Services
from hpc_components.azure.spec.queues import PurchaseKind
from hpc_components.azure.tags import Tags
from hpc_components.component import Component

LONGEST_PREFIX = 9
"""Of computer names: six characters follow, and some services take no more than 15. Nodes take their own names."""

_A = "InfinibandComputeFleetArgs"


@dataclass(frozen=True, kw_only=True)
@checked_args
class InfinibandComputeFleetArgs:
    """Arguments of `InfinibandComputeFleet`."""

    group: Group
    """Resource group for the scale sets: that of the nodes, which `NodeReaper` makes."""
    queue: str
    """Slurm partition; node names begin with it."""
    machines: tuple[str, ...]
    """VM sizes in the order in which they are tried."""
    network: Network
    """Network with a subnet for `nodes`."""
    zones: tuple[str, ...]
    """Zones in the order in which they are tried: `eastus-1`, or `eastus` for none."""
    max: int
    """Most nodes."""
    min: int = 0
    """Nodes kept running."""
    purchase: PurchaseKind = "on_demand"
    """How the machines are bought."""
    reservation_id: Input[str] | None = None
    """Id of the capacity reservation group, with `reservation`."""
    max_spot_price: float | None = None
    """Most to pay per node and hour on spot, in USD; default: the on-demand price."""
    proximity_group: Input[str] | None = None
    """Id of the proximity placement group. Not with InfiniBand, whose scale sets are close together anyway."""
    fabric: bool | None = None
    """InfiniBand; default: on, where the machine has it."""
    scale_set_limit: int = 100
    """Most nodes of one scale set with InfiniBand; up to 300 after a support request."""
    availability_set: bool = False
    """Availability sets of machines with the nodes' own names, in place of scale sets: in no zone, at most 200 nodes,
    no spot."""
    smt: bool = True
    """Two hardware threads per core, where the machine has them. Azure can't switch them off."""
    image: str
    """Machine image: `publisher:offer:sku:version`, or the id of an image of a gallery."""
    image_plan: profile.ImagePlan | None = None
    """Purchase plan of the image, where it is sold with one."""
    user_data: str
    """What a node runs at first boot, as plain text."""
    root: profile.RootDisk
    """Root disk."""
    ephemeral_root: bool = False
    """The root disk is on the machines' own disks: its size is that of `root`, its type none."""
    admin_user: str = "azureuser"
    """Administrator's account, to which nobody has the key."""
    identities: Identities
    """The nodes' own identity, and the one that they lend to jobs."""
    services: Services
    """What nodes use at boot."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what Azure would refuse, some of it only at the first launch."""
        if not re.fullmatch(r"[a-z][a-z0-9-]*", self.queue):
            raise ValueError(f"{_A}.queue: {self.queue!r} can't name nodes; use small letters, digits and hyphens")
        if not 0 <= self.min <= self.max or self.max < 1:
            raise ValueError(
                f"{_A}.max: {self.max} nodes at most and {self.min} at least; use 0 <= min <= max, max >= 1"
            )
        if "nodes" not in self.network.subnets:
            there = ", ".join(self.network.subnets) or "none"
            raise ValueError(f"{_A}.network: it has no subnet for nodes; there are {there}")
        check_machines(_A, self.machines, fabric=self.fabric, smt=self.smt)
        check_zones(_A, self.zones, region=self.group.location, availability_set=self.availability_set)
        check_purchase(
            _A,
            purchase=self.purchase,
            reserved=self.reservation_id is not None,
            max_spot_price=self.max_spot_price,
        )
        grouped = self.proximity_group is not None
        check_capacity(
            _A,
            self.machines,
            purchase=self.purchase,
            fabric=self.fabric,
            grouped=grouped,
            availability_set=self.availability_set,
        )
        check_size(
            _A,
            self.machines,
            fabric=self.fabric,
            nodes=self.max,
            limit=self.scale_set_limit,
            availability_set=self.availability_set,
        )
        check_image(f"{_A}.image", self.image)
        check_image_plan(f"{_A}.image_plan", self.image, has_plan=self.image_plan is not None)
        check_user_data(f"{_A}.user_data", self.user_data)
        check_disk(f"{_A}.root", self.root, root=True)
        if self.ephemeral_root:
            check_ephemeral_root(_A, self.machines, self.root.size_gib)
        check_admin(_A, self.admin_user, None)
        check_tags(f"{_A}.tags", self.tags)


class InfinibandComputeFleet(Component[InfinibandComputeFleetArgs]):
    """Scale sets, one a machine type and zone, whose size the head node changes as jobs want it; or availability
    sets, one a machine type, into which it launches machines.

    Machines of one InfiniBand fabric are those of one Uniform scale set with a single placement group; all others are
    in Flexible scale sets, of up to 1000. Pulumi sets a capacity once, to 0, and never again: with any other update
    it would send that 0, and Azure would end the machines. So a scale set is never updated. A changed one is a new
    one, to which the head node turns; the old one stays, and goes with its resource group.
    Source of the first: Azure documentation, "HPC VM sizes: cluster configuration options".
    """

    fleet: FleetRef
    """What the head node needs to change its size; scale sets and availability sets by `<machine>/<zone>`."""

    def _make(self, name: str, args: InfinibandComputeFleetArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:InfinibandComputeFleet", name, _summary(args), opts)
        self._name, self._args = name, args
        child = pulumi.ResourceOptions(parent=self)
        self._grants = grant(name, args.identities.own, compute_grants(args.services), child)
        make = self._make_availability_set if args.availability_set else self._make_scale_set
        sets = {f"{machine}/{zone}": make(machine, zone).id for machine, zone in product(args.machines, args.zones)}
        self.fleet = FleetRef(
            scale_sets={} if args.availability_set else sets,
            availability_sets=sets if args.availability_set else {},
            flexible=any(not fabric_of(machine, args.fabric) for machine in args.machines),
            purchase=args.purchase,
            identities=tuple(identity_ids(args.identities)),
            subnets=(args.network.subnets["nodes"],),
            parts=tuple(self._parts()),
        )
        self.register_outputs({"availabilitySets" if args.availability_set else "scaleSets": sets})

    def _parts(self) -> list[Input[str]]:
        """Ids of what else nodes are made with."""
        args = self._args
        guarded = args.network.security_groups.get("nodes")
        image = args.image if args.image.startswith("/") else None
        every = (guarded, args.proximity_group, args.reservation_id, image, args.root.encryption_set)
        return [each for each in every if each is not None]

    def _make_scale_set(self, machine: str, zone: str) -> "azure_native.compute.VirtualMachineScaleSet":
        args, compute = self._args, azure_native.compute
        name = short_name(self._name, scale_set_end(machine, zone, args.group.location))
        number = zone_number(zone, args.group.location)
        proximity, fabric = args.proximity_group, fabric_of(machine, args.fabric)
        return compute.VirtualMachineScaleSet(
            name,
            resource_group_name=args.group.name,
            location=args.group.location,
            zones=None if number is None else [number],
            sku=compute.SkuArgs(name=machine, tier="Standard", capacity=0),
            platform_fault_domain_count=1,  # with a fabric there can't be more; else it means as many as there are
            proximity_placement_group=None if proximity is None else compute.SubResourceArgs(id=proximity),
            identity=profile.user_assigned(identity_ids(args.identities)),
            plan=profile.plan(args.image_plan),
            virtual_machine_profile=self._machine_profile(machine, flexible=not fabric),
            tags=args.tags.for_resource(name, **self._marks(machine, zone)),
            opts=pulumi.ResourceOptions(
                parent=self,
                # nodes boot with these rights, and have them until they are gone
                depends_on=self._grants,
                ignore_changes=["sku.capacity"],
                replace_on_changes=["*"],
                retain_on_delete=True,
            ),
            **profile.orchestration(flexible=not fabric),
        )

    def _make_availability_set(self, machine: str, zone: str) -> "azure_native.compute.AvailabilitySet":
        args = self._args
        name = short_name(self._name, scale_set_end(machine, zone, args.group.location))
        return make_availability_set(
            name,
            group=args.group.name,
            location=args.group.location,
            machines=NamedMachines(
                machine=machine,
                image=args.image,
                image_plan=args.image_plan,
                user_data=args.user_data,
                root=args.root,
                ephemeral=self._ephemeral(machine),
                admin_user=args.admin_user,
                identities=identity_ids(args.identities),
                subnet=args.network.subnets["nodes"],
                security_group=args.network.security_groups.get("nodes"),
                proximity_group=args.proximity_group,
                fabric=fabric_of(machine, args.fabric),
            ),
            tags=args.tags.for_resource(name, **self._marks(machine, zone)),
            # what has machines can't be deleted before them: it goes with its resource group
            opts=pulumi.ResourceOptions(parent=self, depends_on=self._grants, retain_on_delete=True),
        )

    def _ephemeral(self, machine: str) -> Mapping[str, str] | None:
        return profile.ephemeral_root(machine) if self._args.ephemeral_root else None

    def _machine_profile(
        self, machine: str, *, flexible: bool
    ) -> "azure_native.compute.VirtualMachineScaleSetVMProfileArgs":
        args, compute = self._args, azure_native.compute
        return compute.VirtualMachineScaleSetVMProfileArgs(
            **profile.bought(args.purchase, max_spot_price=args.max_spot_price, reservation_id=args.reservation_id),
            os_profile=compute.VirtualMachineScaleSetOSProfileArgs(
                computer_name_prefix=args.queue[:LONGEST_PREFIX].rstrip("-"),
                admin_username=args.admin_user,
                custom_data=profile.custom_data(args.user_data),
                linux_configuration=profile.linux(args.admin_user, None),
            ),
            storage_profile=compute.VirtualMachineScaleSetStorageProfileArgs(
                image_reference=profile.image(args.image),
                os_disk=profile.scale_set_root(args.root, flexible=flexible, ephemeral=self._ephemeral(machine)),
            ),
            network_profile=compute.VirtualMachineScaleSetNetworkProfileArgs(
                network_api_version=compute.NetworkApiVersion.NETWORK_API_VERSION_2022_11_01 if flexible else None,
                network_interface_configurations=[
                    profile.scale_set_interface(
                        subnet=args.network.subnets["nodes"],
                        security_group=args.network.security_groups.get("nodes"),
                        flexible=flexible,
                    )
                ],
            ),
            diagnostics_profile=profile.boot_diagnostics(),
        )

    def _marks(self, machine: str, zone: str) -> dict[str, Input[str]]:
        """The tags by which the head node finds a scale set, and which its machines read in their metadata."""
        args = self._args
        own = {"queue": args.queue, "machine": machine, "zone": zone, "purchase": args.purchase}
        return {"role": "compute", **own, **service_marks(args.services), **identity_marks(args.identities)}


def _summary(args: InfinibandComputeFleetArgs) -> dict[str, object]:
    """The component's inputs, from which a plan counts cost and quotas, and which a preview compares."""
    # an availability set does not say what its machines have: the plan counts their disks by this
    is_counted = args.availability_set and not args.ephemeral_root
    named = {"root": {"type": args.root.type, "gib": args.root.size_gib}} if is_counted else {}
    return {
        **named,
        "queue": args.queue,
        "machines": list(args.machines),
        "zones": list(args.zones),
        "min": args.min,
        "max": args.max,
        "purchase": args.purchase,
        "fabric": fabric_of(args.machines[0], args.fabric),
        "smt": args.smt,
    }
