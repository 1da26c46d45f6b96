"""A queue's launch templates, one per machine type and zone."""

import re
from dataclasses import dataclass, field
from itertools import product
from typing import get_args

import pulumi
import pulumi_aws as aws

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.catalog.efa import efa_interfaces
from hpc_components.aws.components.node_checks import (
    check_image,
    check_machine,
    check_tags,
    check_user_data,
)
from hpc_components.aws.disks.component import RootDisk, check_disk, root_disk
from hpc_components.aws.fleet import launch_template as lt
from hpc_components.aws.identity.component import identity_marks
from hpc_components.aws.identity.permissions import compute_statements
from hpc_components.aws.identity.roles import grant
from hpc_components.aws.ports import ConfigStore, FleetRef, Identities, Network
from hpc_components.aws.tags import Tags
from hpc_components.catalog import machine as catalog_machine
from hpc_components.component import Component

_RESERVED = ("reservation", "capacity_block")
_A = "EfaComputeFleetArgs"


@dataclass(frozen=True, kw_only=True)
@checked_args
class EfaComputeFleetArgs:
    """Arguments of `EfaComputeFleet`."""

    queue: str
    """Name of the Slurm partition. Node names begin with it."""
    machines: tuple[str, ...]
    """Machine types, in the order in which the head node tries them."""
    network: Network
    """Network with a private subnet in each of `zones`."""
    zones: tuple[str, ...]
    """Zone ids, in the order in which the head node tries them."""
    max: int
    """Maximum number of nodes."""
    min: int = 0
    """Number of nodes that are always running."""
    purchase: lt.Purchase = "on_demand"
    """How the machines are purchased."""
    reservation_id: pulumi.Input[str] | None = None
    """Id of the capacity reservation; required by the purchase options `reservation` and `capacity_block`, and
    invalid with others."""
    max_spot_price: float | None = None
    """Maximum spot price in USD per node-hour; default: the on-demand price."""
    placement_group: pulumi.Input[str] | None = None
    """Name of the placement group."""
    efa: bool | None = None
    """Whether nodes use the Elastic Fabric Adapter. Default: true if the machine has one."""
    smt: bool = True
    """Whether to keep two hardware threads per core, on machines that have them."""
    image: str
    """Machine image: either `ami-...` or `resolve:ssm:<parameter path>`, which is resolved at each launch."""
    user_data: str
    """Plain-text script that a node runs at first boot."""
    root: RootDisk
    """Root disk."""
    config: ConfigStore
    """Bucket from which nodes fetch their configuration."""
    identities: Identities
    """The nodes' own role, and the role that they lend to jobs."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags. Nodes read their own tags, so keys must not contain spaces or slashes."""

    def __post_init__(self) -> None:
        """Refuse invalid arguments. EC2 doesn't validate new templates, so it would refuse them only at the first
        launch.
        """
        if not re.fullmatch(r"[a-z][a-z0-9-]*", self.queue):
            raise ValueError(
                f"{_A}.queue: {self.queue!r} can't begin node names; use lower-case letters, digits and hyphens"
            )
        if not 0 <= self.min <= self.max or self.max < 1:
            raise ValueError(f"{_A}.max: it is {self.max}, with min={self.min}; use 0 <= min <= max, max >= 1")
        self._check_machines()
        self._check_zones()
        self._check_purchase()
        check_image(f"{_A}.image", self.image)
        check_user_data(f"{_A}.user_data", self.user_data)
        check_disk(self, "root")
        check_tags(f"{_A}.tags", self.tags)

    def _check_machines(self) -> None:
        if not self.machines:
            raise ValueError(f"{_A}.machines: it is empty; give at least one machine type")
        for index, name in enumerate(self.machines):
            check_machine(f"{_A}.machines[{index}]", name)
            path = f"{_A}.machines[{index}]: {name!r}"
            if name in self.machines[:index]:
                raise ValueError(f"{path} is a duplicate; remove it")
            if self.efa and not efa_interfaces(name):
                raise ValueError(f"{path} has no EFA; use a machine with EFA, or leave efa out")
            try:
                if not self.smt:
                    lt.check_smt_off(catalog_machine("aws", name))
            except ValueError as error:
                raise ValueError(f"{path}: smt is off, but {error}") from None

    def _check_zones(self) -> None:
        if not self.zones:
            raise ValueError(
                f"{_A}.zones: it is empty; give at least one of {', '.join(self.network.private_subnets)}"
            )
        for index, zone in enumerate(self.zones):
            if zone not in self.network.private_subnets:
                there = ", ".join(self.network.private_subnets) or "none"
                raise ValueError(
                    f"{_A}.zones[{index}]: {zone!r} has no private subnet in the network; zones with one: {there}"
                )
            if zone in self.zones[:index]:
                raise ValueError(f"{_A}.zones[{index}]: {zone!r} is a duplicate; remove it")

    def _check_purchase(self) -> None:
        if self.purchase not in get_args(lt.Purchase):
            raise ValueError(f"{_A}.purchase: {self.purchase!r} is unknown; use {', '.join(get_args(lt.Purchase))}")
        if (self.purchase in _RESERVED) != (self.reservation_id is not None):
            raise ValueError(f"{_A}.reservation_id: give it with {' and '.join(_RESERVED)}, and with nothing else")
        if self.purchase in _RESERVED and len(self.machines) * len(self.zones) > 1:
            raise ValueError(f"{_A}.machines: a reservation holds one machine type in one zone; give one of each")
        if self.purchase == "capacity_block" and self.placement_group is not None:
            raise ValueError(
                f"{_A}.placement_group: EC2 has already placed the machines of a capacity block; leave it out"
            )
        if self.max_spot_price is not None and (self.purchase != "spot" or self.max_spot_price <= 0):
            raise ValueError(
                f"{_A}.max_spot_price: it is {self.max_spot_price}; give a price above 0, with spot only"
            )


def _summary(args: EfaComputeFleetArgs) -> dict[str, object]:
    """Return the component's inputs. Cost and quotas are computed from them, and previews compare them."""
    return {
        "queue": args.queue,
        "machines": list(args.machines),
        "zones": list(args.zones),
        "min": args.min,
        "max": args.max,
        "purchase": args.purchase,
        "efa": args.efa is not False and bool(efa_interfaces(args.machines[0])),
        "smt": args.smt,
    }


class EfaComputeFleet(Component[EfaComputeFleetArgs]):
    """Launch templates, one per machine type and zone. When jobs need nodes, the head node launches them from these.

    A template specifies its subnet, because RunInstances doesn't accept a subnet together with network interfaces. It
    also specifies the interfaces, because machine types differ in their network cards: p5.48xlarge, for example, has
    33 interfaces, 32 of them EFA, and only one address. A node that shuts down is terminated.
    """

    fleet: FleetRef
    """What the head node needs to launch the nodes, including launch template ids by `<machine>/<zone id>`."""

    def _make(self, name: str, args: EfaComputeFleetArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:EfaComputeFleet", name, _summary(args), opts)
        self._name, self._args = name, args
        statements = compute_statements(args.tags.cluster, args.config)
        self._grants = grant(name, args.identities, statements, pulumi.ResourceOptions(parent=self))
        templates = {
            f"{machine}/{zone}": self._make_template(machine, zone)
            for machine, zone in product(args.machines, args.zones)
        }
        self.fleet = FleetRef(
            launch_templates={key: template.id for key, template in templates.items()},
            purchase=args.purchase,
            identities=args.identities,
        )
        self.register_outputs({"launchTemplates": dict(self.fleet.launch_templates)})

    def _make_template(self, machine: str, zone: str) -> "aws.ec2.LaunchTemplate":
        args, name = self._args, f"{self._name}-{machine}-{zone}"
        return aws.ec2.LaunchTemplate(
            name,
            image_id=args.image,
            instance_type=machine,
            user_data=lt.encoded_user_data(args.user_data),
            iam_instance_profile=aws.ec2.LaunchTemplateIamInstanceProfileArgs(
                name=args.identities.own.instance_profile
            ),
            network_interfaces=lt.network_interfaces(
                machine,
                efa=args.efa is not False,
                subnet=args.network.private_subnets[zone],
                security_groups=args.network.security_groups.compute,
            ),
            cpu_options=lt.cpu_options(catalog_machine("aws", machine), smt=args.smt),
            placement=(
                None
                if args.placement_group is None
                else aws.ec2.LaunchTemplatePlacementArgs(group_name=args.placement_group)
            ),
            instance_market_options=lt.market_options(args.purchase, args.max_spot_price),
            capacity_reservation_specification=lt.capacity_reservation(args.reservation_id),
            block_device_mappings=root_disk(args.root),
            metadata_options=lt.metadata_options(),
            monitoring=aws.ec2.LaunchTemplateMonitoringArgs(enabled=True),
            instance_initiated_shutdown_behavior="terminate",
            update_default_version=True,
            tag_specifications=lt.tag_specifications(
                args.tags.for_resource(f"{self._name}-node", **self._node_marks())
            ),
            tags=args.tags.for_resource(name, **self._marks(machine, zone)),
            # nodes need these permissions from first boot until they are terminated
            opts=pulumi.ResourceOptions(parent=self, depends_on=self._grants),
        )

    def _marks(self, machine: str, zone: str) -> dict[str, pulumi.Input[str]]:
        """Return the tags by which the head node finds a template and that it sets on machines launched from it."""
        args = self._args
        reservation = {} if args.reservation_id is None else {"reservation": args.reservation_id}
        return {**self._node_marks(), "machine": machine, "zone": zone, **reservation}

    def _node_marks(self) -> dict[str, pulumi.Input[str]]:
        """Return the tags that a node reads from its own metadata."""
        args = self._args
        lent = identity_marks(args.identities)
        return {"role": "compute", "queue": args.queue, "config": args.config.bucket, **lent}
