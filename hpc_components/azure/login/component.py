from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.zones import zone_number
from hpc_components.azure.components.node_checks import (
    check_admin,
    check_machine,
    check_tags,
    check_user_data,
)
from hpc_components.azure.components.zone_argument import number_of_zone
from hpc_components.azure.disks.component import RootDisk, check_disk, scale_set_root
from hpc_components.azure.identity.component import identity_ids, identity_marks, service_marks
from hpc_components.azure.identity.grants import login_grants
from hpc_components.azure.identity.roles import grant
from hpc_components.azure.images.component import ImagePlan, check_image, image_args, plan_args
from hpc_components.azure.login.autoscale import make_growth
from hpc_components.azure.machines import profile
from hpc_components.azure.network.bastion import make_public_address
from hpc_components.azure.ports import Group, Identities, Network, Services
from hpc_components.azure.tags import Tags
from hpc_components.component import Component

SSH = 22

IDLE_MINUTES = 30
"""Minutes after which an idle session is closed; this is Azure's maximum. Source: Azure Load Balancer documentation,
"TCP reset and idle timeout"; API reference."""

PROBE_SECONDS = 5
"""Seconds between health probes; this is Azure's minimum."""

FRONT, POOL, PROBE = "users", "login-nodes", "sshd"

_A = "LoginNodeNLBArgs"


@dataclass(frozen=True, kw_only=True)
@checked_args
class LoginNodeNLBArgs:
    """Arguments of `LoginNodeNLB`."""

    group: Group
    """Resource group of the load balancer and the login nodes."""
    machine: str
    """VM size."""
    image: Input[str]
    """Machine image: `publisher:offer:sku:version`, or the id of a gallery image."""
    image_plan: ImagePlan | None = None
    """Purchase plan of the image, if it has one."""
    user_data: str
    """Script that a node runs at first boot, as plain text."""
    min: int = 1
    """Minimum number of nodes."""
    max: int = 1
    """Maximum number of nodes. Nodes are added while the CPUs are busy, but never removed, because that would end
    users' sessions."""
    network: Network
    """Network with a subnet named `login`."""
    zones: tuple[str, ...]
    """Zones over which the nodes are spread, such as `eastus-1`, or the region's name (`eastus`) for nodes without
    zones."""
    public: bool = False
    """Whether the load balancer has a public address. The nodes never have one."""
    admin_user: str = "azureuser"
    """Name of the administrator's account."""
    ssh_key: str | None = None
    """The administrator's public SSH key. Default: a placeholder that no one has the private key for."""
    identities: Identities
    """The nodes' own identity, and the identity that is available to their users."""
    services: Services
    """Services that nodes use at boot, including the vault in which the first node creates the host keys."""
    root: RootDisk
    """Root disk."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        check_machine(f"{_A}.machine", self.machine)
        check_image(self)
        check_user_data(f"{_A}.user_data", self.user_data)
        check_disk(self, "root")
        check_admin(_A, self.admin_user, self.ssh_key)
        check_tags(f"{_A}.tags", self.tags)
        if not 1 <= self.min <= self.max:
            raise ValueError(
                f"{_A}.max: max={self.max} and min={self.min} are not a valid range; use 1 <= min <= max"
            )
        if "login" not in self.network.subnets:
            there = ", ".join(self.network.subnets) or "none"
            raise ValueError(f"{_A}.network: the network has no subnet 'login' (its subnets: {there}); add one")
        self._check_zones()

    def _check_zones(self) -> None:
        region = self.group.location
        if not self.zones or len(set(self.zones)) < len(self.zones):
            raise ValueError(f"{_A}.zones: {self.zones} is empty or contains a duplicate; list each zone once")
        for index, zone in enumerate(self.zones):
            number_of_zone(f"{_A}.zones[{index}]", zone, region)
        if region in self.zones and len(self.zones) > 1:
            raise ValueError(
                f"{_A}.zones: the region {region} means that nodes have no zone, so it can't be combined with "
                "zones; remove the region"
            )

    @property
    def zone_numbers(self) -> list[str] | None:
        """Zone numbers in Azure Resource Manager, or None if the nodes have no zones."""
        numbers = [zone_number(zone, self.group.location) for zone in self.zones]
        return [number for number in numbers if number is not None] or None


class LoginNodeNLB(Component[LoginNodeNLBArgs]):
    """A Standard Load Balancer for SSH, and a scale set of login nodes behind it.

    Connections from the same source address always reach the same node, so users find their `tmux` sessions again.
    All nodes use the same host keys, from a secret that the first node creates.

    Changes to machine settings apply only to new nodes; existing nodes keep their sessions until an administrator
    deletes or reimages them. If nodes may have been added automatically, run `pulumi up --refresh` to make such a
    change, because Azure removes the added nodes if the stack is not refreshed first.
    """

    address: Output[str | None]
    """Address that users log in to."""
    scale_set_id: Output[str]
    """Id of the scale set."""
    load_balancer_id: Output[str]
    """Id of the load balancer."""

    def _make(self, name: str, args: LoginNodeNLBArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"machine": args.machine, "min": args.min, "max": args.max, "public": args.public}
        self._register("hpc:azure:LoginNodeNLB", name, summary, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        rights = grant(name, args.identities.own, login_grants(args.services), self._child)
        address = None
        if args.public:
            address = make_public_address(
                f"{name}-address", idle_minutes=IDLE_MINUTES, group=args.group, tags=args.tags, opts=self._child
            )
        balancer = self._make_balancer(address)
        scale_set = self._make_scale_set(balancer, rights)
        if args.min < args.max:
            make_growth(
                name,
                scale_set=scale_set.id,
                fewest=args.min,
                most=args.max,
                group=args.group,
                tags=args.tags,
                opts=self._child,
            )
        self.address = address.ip_address if address else _inside(balancer)
        self.scale_set_id, self.load_balancer_id = scale_set.id, balancer.id
        self.register_outputs({"address": self.address, "scaleSetId": self.scale_set_id})

    def _make_balancer(
        self, address: "azure_native.network.PublicIPAddress | None"
    ) -> "azure_native.network.LoadBalancer":
        args, network, name = self._args, azure_native.network, f"{self._name}-nlb"
        inside = network.SubnetArgs(id=args.network.subnets["login"])
        return network.LoadBalancer(
            name,
            resource_group_name=args.group.name,
            location=args.group.location,
            sku=network.LoadBalancerSkuArgs(name=network.LoadBalancerSkuName.STANDARD),
            frontend_ip_configurations=[
                network.FrontendIPConfigurationArgs(
                    name=FRONT,
                    public_ip_address=None if address is None else network.PublicIPAddressArgs(id=address.id),
                    subnet=inside if address is None else None,
                    private_ip_allocation_method=network.IPAllocationMethod.DYNAMIC if address is None else None,
                )
            ],
            backend_address_pools=[network.BackendAddressPoolArgs(name=POOL)],
            probes=[
                network.ProbeArgs(
                    name=PROBE,
                    protocol=network.ProbeProtocol.TCP,
                    port=SSH,
                    interval_in_seconds=PROBE_SECONDS,
                    probe_threshold=2,
                )
            ],
            load_balancing_rules=[
                network.LoadBalancingRuleArgs(
                    name="ssh",
                    protocol=network.TransportProtocol.TCP,
                    frontend_port=SSH,
                    backend_port=SSH,
                    # the provider replaces `$self` with the load balancer's own id
                    frontend_ip_configuration=network.SubResourceArgs(id=f"$self/frontendIPConfigurations/{FRONT}"),
                    backend_address_pool=network.SubResourceArgs(id=f"$self/backendAddressPools/{POOL}"),
                    probe=network.SubResourceArgs(id=f"$self/probes/{PROBE}"),
                    load_distribution=network.LoadDistribution.SOURCE_IP,
                    idle_timeout_in_minutes=IDLE_MINUTES,
                    # when a session is closed, the client gets an error immediately instead of hanging
                    enable_tcp_reset=True,
                    # outbound traffic goes through the NAT gateway
                    disable_outbound_snat=True,
                )
            ],
            tags=args.tags.for_resource(name),
            opts=self._child,
        )

    def _make_scale_set(
        self, balancer: "azure_native.network.LoadBalancer", rights: list[pulumi.Resource]
    ) -> "azure_native.compute.VirtualMachineScaleSet":
        args, compute = self._args, azure_native.compute
        return compute.VirtualMachineScaleSet(
            self._name,
            resource_group_name=args.group.name,
            location=args.group.location,
            zones=args.zone_numbers,
            sku=compute.SkuArgs(name=args.machine, tier="Standard", capacity=args.min),
            orchestration_mode=compute.OrchestrationMode.UNIFORM,
            overprovision=False,
            platform_fault_domain_count=1
            if args.zone_numbers
            else None,  # None means as many fault domains (racks) as the region offers
            upgrade_policy=compute.UpgradePolicyArgs(mode=compute.UpgradeMode.MANUAL),
            identity=profile.user_assigned(identity_ids(args.identities)),
            plan=plan_args(args.image_plan),
            virtual_machine_profile=self._machine_profile(balancer),
            tags=args.tags.for_resource(self._name, **self._marks()),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=rights,
                # keep nodes that were added by autoscaling; without autoscaling, Pulumi sets the number of nodes
                ignore_changes=["sku.capacity"] if args.min < args.max else None,
                replace_on_changes=["zones", "plan", "virtualMachineProfile.osProfile.adminUsername"],
            ),
        )

    def _machine_profile(
        self, balancer: "azure_native.network.LoadBalancer"
    ) -> "azure_native.compute.VirtualMachineScaleSetVMProfileArgs":
        args, compute = self._args, azure_native.compute
        return compute.VirtualMachineScaleSetVMProfileArgs(
            os_profile=compute.VirtualMachineScaleSetOSProfileArgs(
                computer_name_prefix="login",
                admin_username=args.admin_user,
                custom_data=profile.custom_data(args.user_data),
                linux_configuration=profile.linux(args.admin_user, args.ssh_key),
            ),
            storage_profile=compute.VirtualMachineScaleSetStorageProfileArgs(
                image_reference=image_args(args.image), os_disk=scale_set_root(args.root, flexible=False)
            ),
            network_profile=compute.VirtualMachineScaleSetNetworkProfileArgs(
                network_interface_configurations=[
                    profile.scale_set_interface(
                        subnet=args.network.subnets["login"],
                        security_group=args.network.security_groups.get("login"),
                        backend_pool=Output.concat(balancer.id, f"/backendAddressPools/{POOL}"),
                        flexible=False,
                    )
                ]
            ),
            diagnostics_profile=profile.boot_diagnostics(),
        )

    def _marks(self) -> dict[str, Input[str]]:
        """Return the tags that nodes read from their metadata."""
        args = self._args
        return {"role": "login", **service_marks(args.services), **identity_marks(args.identities)}


def _inside(balancer: "azure_native.network.LoadBalancer") -> Output[str | None]:
    return balancer.frontend_ip_configurations.apply(lambda fronts: fronts[0].private_ip_address if fronts else None)
