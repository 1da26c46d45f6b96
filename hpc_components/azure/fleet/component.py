import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.zones import zone_number
from hpc_components.azure.components.node_checks import (
    check_admin,
    check_tags,
    check_user_data,
)
from hpc_components.azure.components.short_names import scale_set_end, short_name
from hpc_components.azure.disks.component import (
    RootDisk,
    check_disk,
    check_local_root,
    ephemeral_root,
    scale_set_root,
)
from hpc_components.azure.fleet.availability_set import NamedMachines, make_availability_set
from hpc_components.azure.fleet.checks import (
    check_capacity,
    check_machines,
    check_purchase,
    check_size,
    check_zones,
    fabric_of,
)
from hpc_components.azure.fleet.model import PurchaseKind
from hpc_components.azure.identity.component import identity_ids, identity_marks, service_marks
from hpc_components.azure.identity.grants import compute_grants
from hpc_components.azure.identity.roles import grant
from hpc_components.azure.images.component import ImagePlan, check_image, image_args, plan_args
from hpc_components.azure.machines import profile
from hpc_components.azure.ports import FleetRef, Group, Identities, Network, Services
from hpc_components.azure.tags import Tags
from hpc_components.component import Component
from hpc_components.spec.surfaces import Key, Keys

MAX_COMPUTER_NAME_PREFIX = 9
"""Maximum length of a computer name's prefix. Azure appends six characters, and some services accept only 15 in
total. A shortened prefix is harmless, because nodes rename themselves at boot."""

_A = "InfinibandComputeFleetArgs"

_CAPACITY_ARGUMENTS: Keys = {
    "machine": Key(("machines",)),
    "purchase": Key(("purchase",)),
    "fabric": Key(("fabric",)),
    "availability_set": Key(("availability_set",)),
    "proximity_group": Key(("proximity_group",), lambda _: None),
    "similar": None,
}

_GROUP_ARGUMENTS: Keys = {
    "nodes": Key(("max",)),
    "fabric": Key(("fabric",)),
    "limit": Key(("scale_set_limit",)),
    "availability_set": Key(("availability_set",)),
    "region": None,
    "zones": Key(("zones",), tuple),
}


@dataclass(frozen=True, kw_only=True)
@checked_args
class InfinibandComputeFleetArgs:
    """Arguments of `InfinibandComputeFleet`."""

    group: Group
    """Resource group for the nodes and their scale sets, created by `NodeReaper`."""
    queue: str
    """Name of the Slurm partition, which is also the prefix of node names."""
    machines: tuple[str, ...]
    """VM sizes, in the order in which launches try them."""
    network: Network
    """Network with a subnet named `nodes`."""
    zones: tuple[str, ...]
    """Zones such as `eastus-1`, in the order in which launches try them. The region's name (`eastus`) stands for no
    particular zone."""
    max: int
    """Maximum number of nodes."""
    min: int = 0
    """Number of nodes that are always running."""
    purchase: PurchaseKind = "on_demand"
    """Purchase option for the machines."""
    reservation_id: Input[str] | None = None
    """Id of the capacity reservation group, for purchase `reservation`."""
    max_spot_price: float | None = None
    """Maximum spot price in USD per node-hour. The default is the on-demand price."""
    proximity_group: Input[str] | None = None
    """Id of the proximity placement group. Not allowed for InfiniBand machines, because their scale sets already
    place them close together."""
    fabric: bool | None = None
    """Whether nodes use InfiniBand. By default, nodes use InfiniBand if their machine type has it."""
    scale_set_limit: int = 100
    """Maximum number of nodes in a scale set with InfiniBand. Azure can raise the limit to 300 after a support
    request."""
    availability_set: bool = False
    """Whether to use availability sets instead of scale sets, so that machines are named after their nodes.
    Availability sets don't support zones or spot machines and are limited to 200 nodes."""
    smt: bool = True
    """Whether nodes use two hardware threads per core, if the machine type has them. If false, all machine types must
    have one thread per core, because Azure can't turn off the second thread."""
    image: Input[str]
    """Machine image: `publisher:offer:sku:version`, or the id of an image in a gallery."""
    image_plan: ImagePlan | None = None
    """Purchase plan of the image, if it has one."""
    user_data: str
    """Script that a node runs at first boot, as plain text."""
    root: RootDisk
    """Root disk."""
    ephemeral_root: bool = False
    """Whether to put the root disk on the machine's local disks. In that case, the size in `root` still applies, but
    the disk type is ignored."""
    admin_user: str = "azureuser"
    """Name of the administrator account. No one has the private key for the account's SSH key."""
    identities: Identities
    """Identity of the nodes, and the identity for jobs that run on them."""
    services: Services
    """Services that nodes use at boot."""
    tags: Tags = field(default_factory=Tags)
    """Tags for all of the cluster's resources."""

    def __post_init__(self) -> None:
        """Raise ValueError for arguments that Azure would refuse, in some cases only at the first launch."""
        if not re.fullmatch(r"[a-z][a-z0-9-]*", self.queue):
            raise ValueError(
                f"{_A}.queue: node names can't begin with {self.queue!r}; use lowercase letters, digits and hyphens"
            )
        if not 0 <= self.min <= self.max or self.max < 1:
            raise ValueError(
                f"{_A}.max: max={self.max} and min={self.min} are inconsistent; use 0 <= min <= max and max >= 1"
            )
        if "nodes" not in self.network.subnets:
            there = ", ".join(self.network.subnets) or "none"
            raise ValueError(f"{_A}.network: the network must have a subnet 'nodes'; its subnets: {there}")
        check_machines(_A, self.machines, fabric=self.fabric, smt=self.smt)
        check_zones(_A, self.zones, region=self.group.location)
        check_purchase(
            _A,
            purchase=self.purchase,
            reserved=self.reservation_id is not None,
            max_spot_price=self.max_spot_price,
        )
        check_capacity(self, _CAPACITY_ARGUMENTS)
        check_size(self, _GROUP_ARGUMENTS)
        check_image(self)
        check_user_data(f"{_A}.user_data", self.user_data)
        check_disk(self, "root")
        if self.ephemeral_root:
            check_local_root(self, self.machines, self.root.size_gib)
        check_admin(_A, self.admin_user, None)
        check_tags(f"{_A}.tags", self.tags)


class InfinibandComputeFleet(Component[InfinibandComputeFleetArgs]):
    """A queue's scale sets, which the head node resizes as jobs need nodes, or availability sets, in which the head
    node launches machines.

    There is one scale set per machine type and zone, or one availability set per machine type. Machines share an
    InfiniBand fabric if they are in the same Uniform scale set with a single placement group (source: Azure
    documentation, "HPC VM sizes: cluster configuration options"). All other machines are in Flexible scale sets of up
    to 1000 machines.

    Pulumi creates a scale set with capacity 0 and must never update it: every update would set the capacity to 0
    again, and Azure would delete the running machines. A change therefore creates a new scale set, which the head
    node uses from then on. The old scale set remains until its resource group is deleted.
    """

    fleet: FleetRef
    """Everything that the head node needs to resize the fleet. Scale sets and availability sets are keyed by
    `<machine>/<zone>`."""

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
        """Return the ids of the other resources that are needed to launch a node."""
        args = self._args
        guarded = args.network.security_groups.get("nodes")
        image = args.image if isinstance(args.image, str) and args.image.startswith("/") else None
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
            # InfiniBand requires 1; without InfiniBand, 1 means as many fault domains as the region allows
            platform_fault_domain_count=1,
            proximity_placement_group=None if proximity is None else compute.SubResourceArgs(id=proximity),
            identity=profile.user_assigned(identity_ids(args.identities)),
            plan=plan_args(args.image_plan),
            virtual_machine_profile=self._machine_profile(machine, flexible=not fabric),
            tags=args.tags.for_resource(name, **self._marks(machine, zone)),
            opts=pulumi.ResourceOptions(
                parent=self,
                # nodes need these permissions from boot until they are deleted
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
            # retained until its resource group is deleted, because Azure refuses to delete a set that has machines
            opts=pulumi.ResourceOptions(parent=self, depends_on=self._grants, retain_on_delete=True),
        )

    def _ephemeral(self, machine: str) -> Mapping[str, str] | None:
        return ephemeral_root(machine) if self._args.ephemeral_root else None

    def _machine_profile(
        self, machine: str, *, flexible: bool
    ) -> "azure_native.compute.VirtualMachineScaleSetVMProfileArgs":
        args, compute = self._args, azure_native.compute
        return compute.VirtualMachineScaleSetVMProfileArgs(
            **profile.bought(args.purchase, max_spot_price=args.max_spot_price, reservation_id=args.reservation_id),
            os_profile=compute.VirtualMachineScaleSetOSProfileArgs(
                computer_name_prefix=args.queue[:MAX_COMPUTER_NAME_PREFIX].rstrip("-"),
                admin_username=args.admin_user,
                custom_data=profile.custom_data(args.user_data),
                linux_configuration=profile.linux(args.admin_user, None),
            ),
            storage_profile=compute.VirtualMachineScaleSetStorageProfileArgs(
                image_reference=image_args(args.image),
                os_disk=scale_set_root(args.root, flexible=flexible, ephemeral=self._ephemeral(machine)),
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
        """Return the tags that the head node uses to find a set. The set's machines read the same tags from their
        metadata.
        """
        args = self._args
        own = {"queue": args.queue, "machine": machine, "zone": zone, "purchase": args.purchase}
        return {"role": "compute", **own, **service_marks(args.services), **identity_marks(args.identities)}


def _summary(args: InfinibandComputeFleetArgs) -> dict[str, object]:
    """Return the component's inputs. Plan readers use them for costs and quotas, and previews compare them."""
    # an availability set does not record its machines' disks, so plan readers get the root disk from this input
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
