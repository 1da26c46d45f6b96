from dataclasses import dataclass, field
from ipaddress import IPv4Address
from typing import Literal, get_args

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.names import wrong_name
from hpc_components.azure.catalog.zones import zone_number
from hpc_components.azure.components.node_checks import (
    check_admin,
    check_machine,
    check_tags,
    check_user_data,
)
from hpc_components.azure.components.zone_argument import number_of_zone
from hpc_components.azure.disks.component import (
    RootDisk,
    StateDisk,
    attached,
    check_disk,
    make_state_disk,
    root_disk,
)
from hpc_components.azure.identity.component import identity_ids, identity_marks, service_marks
from hpc_components.azure.identity.grants import head_grants
from hpc_components.azure.identity.head_roles import make_head_roles
from hpc_components.azure.identity.roles import grant
from hpc_components.azure.images.component import ImagePlan, check_image, image_args, plan_args
from hpc_components.azure.machines import profile
from hpc_components.azure.network.bastion import make_public_address
from hpc_components.azure.ports import FleetRef, Group, Identities, Services
from hpc_components.azure.tags import Tags
from hpc_components.component import Component
from hpc_components.identity_check import check_not_shared
from hpc_components.resource_options import protected_options

IDLE_MINUTES = 30
"""Minutes after which Azure drops an idle connection; this is Azure's maximum. Source: Azure documentation, "Public
IP addresses", idle timeout."""

NEW_NODE = (
    "networkProfile",
    "osProfile.adminUsername",
    "osProfile.computerName",
    "osProfile.linuxConfiguration",
    "plan",
    "storageProfile.imageReference",
    "storageProfile.osDisk",
    "zones",
)
"""Inputs that can't be changed without replacing the machine. Azure refuses to change them in place, but the provider
would try to."""

_A = "SlurmHeadNodeArgs"

_Named = Literal["virtual_machine", "computer_name"]
"""Kinds of names whose rules the component's name must follow."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class SlurmHeadNodeArgs:
    """Arguments of `SlurmHeadNode`."""

    group: Group
    """Resource group of the head node."""
    nodes_group: Group
    """Resource group of the compute nodes that the head node launches."""
    machine: str
    """VM size."""
    image: Input[str]
    """Machine image: `publisher:offer:sku:version`, or the id of a gallery image."""
    image_plan: ImagePlan | None = None
    """Purchase plan of the image, if it has one."""
    user_data: str
    """Script that the node runs at first boot, as plain text. Later changes don't affect an existing node."""
    zone: str
    """Zone, such as `eastus-1`, or the region's name (`eastus`) for a node without a zone."""
    subnet_id: Input[str]
    """Id of the node's subnet."""
    private_ip: str
    """Fixed address in the subnet, which all nodes use to reach the head node."""
    security_group_id: Input[str] | None = None
    """Id of a network security group for the node's network interface. Not needed if the subnet has one."""
    public: bool = False
    """Whether the head node has a static public address."""
    root: RootDisk
    """Root disk. Its contents are lost when the node is replaced."""
    state: StateDisk
    """State disk, which is kept when the node is replaced."""
    admin_user: str = "azureuser"
    """Name of the administrator's account."""
    ssh_key: str | None = None
    """The administrator's public SSH key. Default: a placeholder that no one has the private key for."""
    identities: Identities
    """The node's own identity and, if users log in to the head node, the identity that they can use."""
    services: Services
    """Services that the node uses at boot, including the vault in which it creates the cluster's keys."""
    fleets: tuple[FleetRef, ...]
    """Fleets whose compute nodes the head node may launch."""
    retain: bool = True
    """Whether to protect the state disk from deletion, and to keep it in Azure if it is removed from the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError for arguments that Azure would refuse."""
        check_machine(f"{_A}.machine", self.machine)
        check_image(self)
        check_user_data(f"{_A}.user_data", self.user_data)
        number_of_zone(f"{_A}.zone", self.zone, self.group.location)
        check_disk(self, "root")
        check_disk(self, "state", zone=self.zone)
        check_admin(_A, self.admin_user, self.ssh_key)
        check_tags(f"{_A}.tags", self.tags)
        theirs = [identity for fleet in self.fleets for identity in fleet.identities]
        check_not_shared(f"{_A}.identities.own", self.identities.own.id, theirs)
        try:
            IPv4Address(self.private_ip)
        except ValueError:
            raise ValueError(
                f"{_A}.private_ip: {self.private_ip!r} is not an IPv4 address; write one like 10.20.0.20"
            ) from None


class SlurmHeadNode(Component[SlurmHeadNodeArgs]):
    """The head node, with an address and a state disk that are kept when the node is replaced.

    Changing the image, root disk or administrator replaces the node. Azure shuts the old node down before deleting
    it, so that Slurm can save its state and the disk is clean. The new node then takes over the address and the state
    disk, while jobs continue to run. Changing the VM size restarts the node. Changes to queues, scripts and limits
    don't affect this component. Source: Azure documentation, "Force delete a VM": a plain delete shuts the machine
    down gracefully.
    """

    private_ip: str
    """Fixed private address."""
    public_ip: Output[str | None] | None
    """Public address, or None if the node has none."""
    vm_id: Output[str]
    """Id of the current virtual machine."""
    state_disk_id: Output[str]
    """Id of the state disk."""

    def _make(self, name: str, args: SlurmHeadNodeArgs, opts: pulumi.ResourceOptions | None) -> None:
        for kind in get_args(_Named):
            if wrong := wrong_name(kind, name):
                raise ValueError(f"SlurmHeadNode name, which is also the machine's name: {wrong[0]}; {wrong[1]}")
        summary = {"machine": args.machine, "image": args.image, "privateIp": args.private_ip, "public": args.public}
        self._register("hpc:azure:SlurmHeadNode", name, summary, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        number = zone_number(args.zone, args.group.location)
        self._zones = None if number is None else [number]

        rights = grant(name, args.identities.own, head_grants(args.services), self._child)
        rights += make_head_roles(
            name,
            identity=args.identities.own,
            group=args.group,
            nodes_group=args.nodes_group,
            fleets=args.fleets,
            opts=self._child,
        )
        address = None
        if args.public:
            address = make_public_address(
                f"{name}-address", idle_minutes=IDLE_MINUTES, group=args.group, tags=args.tags, opts=self._child
            )
        interface = self._make_interface(address)
        disk = make_state_disk(
            f"{name}-state",
            args.state,
            zones=self._zones,
            group=args.group,
            tags=args.tags,
            opts=protected_options(self, opts, retain=args.retain),
        )
        machine = self._make_machine(interface, disk, rights)

        self.private_ip = args.private_ip
        self.public_ip = address.ip_address if address else None
        self.vm_id = machine.id
        self.state_disk_id = disk.id
        self.register_outputs({"privateIp": self.private_ip, "publicIp": self.public_ip, "vmId": self.vm_id})

    def _make_interface(
        self, address: "azure_native.network.PublicIPAddress | None"
    ) -> "azure_native.network.NetworkInterface":
        args, network, name = self._args, azure_native.network, f"{self._name}-interface"
        guard = args.security_group_id
        return network.NetworkInterface(
            name,
            resource_group_name=args.group.name,
            location=args.group.location,
            enable_accelerated_networking=True,
            network_security_group=None if guard is None else network.NetworkSecurityGroupArgs(id=guard),
            ip_configurations=[
                network.NetworkInterfaceIPConfigurationArgs(
                    name="address",
                    primary=True,
                    private_ip_allocation_method=network.IPAllocationMethod.STATIC,
                    private_ip_address=args.private_ip,
                    subnet=network.SubnetArgs(id=args.subnet_id),
                    public_ip_address=None if address is None else network.PublicIPAddressArgs(id=address.id),
                )
            ],
            tags=args.tags.for_resource(name),
            # two interfaces can't have the same address
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )

    def _make_machine(
        self,
        interface: "azure_native.network.NetworkInterface",
        disk: "azure_native.compute.Disk",
        rights: list[pulumi.Resource],
    ) -> "azure_native.compute.VirtualMachine":
        args, compute = self._args, azure_native.compute
        return compute.VirtualMachine(
            self._name,
            vm_name=self._name,
            resource_group_name=args.group.name,
            location=args.group.location,
            zones=self._zones,
            plan=plan_args(args.image_plan),
            hardware_profile=compute.HardwareProfileArgs(vm_size=args.machine),
            identity=compute.VirtualMachineIdentityArgs(
                type=compute.ResourceIdentityType.USER_ASSIGNED,
                user_assigned_identities=identity_ids(args.identities),
            ),
            os_profile=compute.OSProfileArgs(
                computer_name=self._name,
                admin_username=args.admin_user,
                custom_data=profile.custom_data(args.user_data),
                linux_configuration=profile.linux(args.admin_user, args.ssh_key),
            ),
            storage_profile=compute.StorageProfileArgs(
                image_reference=image_args(args.image),
                os_disk=root_disk(args.root),
                data_disks=[attached(disk)],
            ),
            network_profile=compute.NetworkProfileArgs(
                network_interfaces=[
                    compute.NetworkInterfaceReferenceArgs(
                        id=interface.id, primary=True, delete_option=compute.DeleteOptions.DETACH
                    )
                ]
            ),
            diagnostics_profile=profile.boot_diagnostics(),
            tags=args.tags.for_resource(self._name, **self._marks()),
            opts=pulumi.ResourceOptions(
                parent=self,
                # otherwise, a new node could boot before it has permissions, and a destroy could delete the
                # permissions first
                depends_on=rights,
                # two machines can't share an interface or a disk
                delete_before_replace=True,
                replace_on_changes=list(NEW_NODE),
                # changed user data doesn't require a new node, because existing nodes fetch updates along with their
                # files
                ignore_changes=["osProfile.customData"],
            ),
        )

    def _marks(self) -> dict[str, Input[str]]:
        """Return the tags that the node reads from its metadata."""
        args = self._args
        own = {"zone": args.zone, "nodes_group": args.nodes_group.id}
        return {"role": "head", **own, **service_marks(args.services), **identity_marks(args.identities)}
