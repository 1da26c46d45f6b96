from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.disks.component import RootDisk, check_disk, template_disk
from hpc_components.gcp.fleet import machine_profile as profile
from hpc_components.gcp.fleet.node_checks import (
    check_image,
    check_machine,
    check_name,
    check_tags,
    check_user_data,
    region_of_zones,
)
from hpc_components.gcp.fleet.node_metadata import BY_IAP, Login, node_metadata
from hpc_components.gcp.identity.node_grants import login_grants
from hpc_components.gcp.identity.roles import grant
from hpc_components.gcp.login.login_balancer import make_balancer
from hpc_components.gcp.ports import Identities, Network, Services
from hpc_components.gcp.tags import Tags

BUSY_CPU = 0.7
"""Average CPU utilization of the nodes, from 0 to 1, above which a node is added."""

BOOT_SECONDS = 300
"""Seconds after boot during which a node's CPU utilization is ignored."""

_A = "LoginNodeNLBArgs"


@dataclass(frozen=True, kw_only=True)
@checked_args
class LoginNodeNLBArgs:
    """Arguments of `LoginNodeNLB`."""

    project: str
    """Id of the project."""
    machine: str
    """Machine type."""
    image: Input[str]
    """Machine image: `projects/<project>/global/images/<name>`, or `.../images/family/<name>`."""
    user_data: str
    """Script that a node runs at first boot, as plain text."""
    run_by_agent: bool = False
    """Whether Google's guest agent runs `user_data`, because the image has no cloud-init. The agent runs it at every
    boot."""
    min: int = 1
    """Minimum number of nodes."""
    max: int = 1
    """Maximum number of nodes. Nodes are added when CPUs are busy. They are never removed, because users may have
    sessions on them."""
    network: Network
    """Network, which must have a subnet named `login`."""
    zones: tuple[str, ...]
    """Zones across which the nodes are spread, all in one region."""
    public: bool = False
    """Whether to give the load balancer a public address. The nodes themselves never have one."""
    login: Login = BY_IAP
    """Administrator access to the nodes."""
    identities: Identities
    """The nodes' service account, and the account for which they issue tokens to users."""
    services: Services
    """Configuration and secrets that nodes use at boot. The first node creates the host keys."""
    root: RootDisk
    """Root disk."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster, applied as labels."""

    def __post_init__(self) -> None:
        check_machine(f"{_A}.machine", self.machine)
        check_image(f"{_A}.image", self.image)
        check_user_data(f"{_A}.user_data", self.user_data)
        check_disk(self, "root", self.machine, root=True)
        check_tags(f"{_A}.tags", self.tags)
        region_of_zones(f"{_A}.zones", self.zones)
        if not 1 <= self.min <= self.max:
            raise ValueError(f"{_A}.max: {self.max} is not allowed with min {self.min}; use 1 <= min <= max")
        if "login" not in self.network.subnets:
            there = ", ".join(self.network.subnets) or "none"
            raise ValueError(f"{_A}.network: the network has no subnet named login; its subnets are: {there}")

    @property
    def region(self) -> str:
        """The zones' region."""
        return region_of_zones(f"{_A}.zones", self.zones)


class LoginNodeNLB(Component[LoginNodeNLBArgs]):
    """A passthrough Network Load Balancer for SSH in front of a regional managed instance group of login nodes.

    Connections from the same source address go to the same node, so that users can return to their `tmux` sessions.
    All nodes share the same host keys, which the first node stores in a secret. The machines' names begin with the
    component's name.

    Changes apply only to new nodes, because users may have sessions on existing nodes. To update existing nodes,
    recreate them one by one with `gcloud compute instance-groups managed recreate-instances`.
    """

    address: Output[str]
    """Address at which users log in."""
    group_id: Output[str]
    """Id of the managed instance group."""

    def _make(self, name: str, args: LoginNodeNLBArgs, opts: pulumi.ResourceOptions | None) -> None:
        # leave room for the suffix of template and group names; the suffix of machine names is shorter
        check_name("name", name, end=RANDOM_SUFFIX)
        summary = {"machine": args.machine, "min": args.min, "max": args.max, "public": args.public}
        self._register("hpc:gcp:LoginNodeNLB", name, summary, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        before = grant(name, args.identities.own, login_grants(args.services, args.project), self._child)
        group = self._make_group(self._make_template(before))
        if args.min < args.max:
            self._make_growth(group)
        self.address = make_balancer(
            name,
            group=group.instance_group,
            project=args.project,
            region=args.region,
            subnet=None if args.public else args.network.subnets["login"],
            network=args.network.id,
            tags=args.tags,
            opts=self._child,
        )
        self.group_id = group.id
        self.register_outputs({"address": self.address, "groupId": self.group_id})

    def _make_template(self, before: list[pulumi.Resource]) -> "gcp.compute.RegionInstanceTemplate":
        args = self._args
        labels = args.tags.for_resource(self._name, role="login")
        return gcp.compute.RegionInstanceTemplate(
            self._name,
            project=args.project,
            region=args.region,
            machine_type=args.machine,
            disks=[template_disk(args.root, machine=args.machine, image=args.image, labels=labels)],
            network_interfaces=profile.cards(args.network.subnets["login"]),
            scheduling=_scheduling(args.machine),
            service_account=profile.service_account(args.identities.own.email),
            shielded_instance_config=profile.shielded(),
            metadata=node_metadata(
                role="login",
                cluster=args.tags.cluster,
                project=args.project,
                services=args.services,
                identities=args.identities,
                user_data=args.user_data,
                run_by_agent=args.run_by_agent,
                login=args.login,
            ),
            labels=labels,
            opts=pulumi.ResourceOptions(parent=self, depends_on=before),
        )

    def _make_group(self, template: "gcp.compute.RegionInstanceTemplate") -> "gcp.compute.RegionInstanceGroupManager":
        """Create the group. Nodes change only when they are recreated, and are never moved to other zones."""
        args, compute = self._args, gcp.compute
        grows = args.min < args.max
        return compute.RegionInstanceGroupManager(
            self._name,
            project=args.project,
            region=args.region,
            base_instance_name=self._name,
            distribution_policy_zones=list(args.zones),
            target_size=None if grows else args.min,
            versions=[compute.RegionInstanceGroupManagerVersionArgs(instance_template=template.self_link)],
            update_policy=compute.RegionInstanceGroupManagerUpdatePolicyArgs(
                type="OPPORTUNISTIC", minimal_action="REPLACE", instance_redistribution_type="NONE"
            ),
            opts=self._child,
        )

    def _make_growth(self, group: "gcp.compute.RegionInstanceGroupManager") -> None:
        """Create an autoscaler that adds nodes up to the maximum, and never removes any."""
        args, compute = self._args, gcp.compute
        compute.RegionAutoscaler(
            f"{self._name}-grow",
            project=args.project,
            region=args.region,
            target=group.id,
            autoscaling_policy=compute.RegionAutoscalerAutoscalingPolicyArgs(
                mode="ONLY_SCALE_OUT",
                min_replicas=args.min,
                max_replicas=args.max,
                cooldown_period=BOOT_SECONDS,
                cpu_utilization=compute.RegionAutoscalerAutoscalingPolicyCpuUtilizationArgs(target=BUSY_CPU),
            ),
            opts=self._child,
        )


def _scheduling(machine: str) -> "gcp.compute.RegionInstanceTemplateSchedulingArgs | None":
    """Return the settings that make Google stop and restart a machine instead of live-migrating it, or None for
    Google's default.
    """
    if not profile.stops_for_maintenance(machine):
        return None
    return gcp.compute.RegionInstanceTemplateSchedulingArgs(on_host_maintenance="TERMINATE", automatic_restart=True)
