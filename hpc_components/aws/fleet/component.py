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
    """Name of the Slurm partition, which is also the prefix of node names."""
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
    """Id of the capacity reservation. Required for the purchase options `reservation` and `capacity_block`; not
    allowed for others."""
    max_spot_price: float | None = None
    """Maximum spot price in USD per node-hour; default: the on-demand price."""
    placement_group: pulumi.Input[str] | None = None
    """Name of the placement group."""
    efa: bool | None = None
    """Whether nodes use the Elastic Fabric Adapter (EFA). Default: true if the machine type supports it."""
    smt: bool = True
    """Whether to leave simultaneous multithreading enabled on machines with two hardware threads per core."""
    image: pulumi.Input[str]
    """Machine image: either `ami-...` or `resolve:ssm:<parameter path>`, which is resolved at each launch."""
    user_data: str
    """Plain-text script that a node runs at first boot."""
    root: RootDisk
    """Root disk."""
    config: ConfigStore
    """Bucket from which nodes fetch their configuration."""
    identities: Identities
    """The nodes' own role, and the role that nodes lend to jobs."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags. Nodes read their own tags, so keys must not contain spaces or slashes."""

    def __post_init__(self) -> None:
        """Refuse invalid arguments. EC2 doesn't validate launch templates when they are created, so mistakes would
        otherwise surface only at the first launch.
        """
        if not re.fullmatch(r"[a-z][a-z0-9-]*", self.queue):
            raise ValueError(
                f"{_A}.queue: node names can't begin with {self.queue!r}; use lower-case letters, digits and "
                "hyphens, and begin with a letter"
            )
        if not 0 <= self.min <= self.max or self.max < 1:
            raise ValueError(f"{_A}.max: max is {self.max} and min is {self.min}; use 0 <= min <= max, and max >= 1")
        self._check_machines()
        self._check_zones()
        self._check_purchase()
        check_image(f"{_A}.image", self.image)
        check_user_data(f"{_A}.user_data", self.user_data)
        check_disk(self, "root")
        check_tags(f"{_A}.tags", self.tags)

    def _check_machines(self) -> None:
        if not self.machines:
            raise ValueError(f"{_A}.machines: no machine type is specified; add at least one")
        for index, name in enumerate(self.machines):
            check_machine(f"{_A}.machines[{index}]", name)
            path = f"{_A}.machines[{index}]: {name!r}"
            if name in self.machines[:index]:
                raise ValueError(f"{path} is a duplicate; remove it")
            if self.efa and not efa_interfaces(name):
                raise ValueError(f"{path} has no EFA; use a machine type with EFA, or leave out efa")
            try:
                if not self.smt:
                    lt.check_smt_off(catalog_machine("aws", name))
            except ValueError as error:
                raise ValueError(f"{path}: smt is off, but {error}") from None

    def _check_zones(self) -> None:
        if not self.zones:
            raise ValueError(
                f"{_A}.zones: no zone is specified; add at least one of {', '.join(self.network.private_subnets)}"
            )
        for index, zone in enumerate(self.zones):
            if zone not in self.network.private_subnets:
                there = ", ".join(self.network.private_subnets) or "none"
                raise ValueError(
                    f"{_A}.zones[{index}]: the network has no private subnet in {zone!r}; zones with a "
                    f"private subnet: {there}"
                )
            if zone in self.zones[:index]:
                raise ValueError(f"{_A}.zones[{index}]: {zone!r} is a duplicate; remove it")

    def _check_purchase(self) -> None:
        if self.purchase not in get_args(lt.Purchase):
            raise ValueError(
                f"{_A}.purchase: {self.purchase!r} is unknown; use one of {', '.join(get_args(lt.Purchase))}"
            )
        if (self.purchase in _RESERVED) != (self.reservation_id is not None):
            raise ValueError(
                f"{_A}.reservation_id: this argument is required for the purchase options "
                f"{' and '.join(_RESERVED)}, and not allowed for others"
            )
        if self.purchase in _RESERVED and len(self.machines) * len(self.zones) > 1:
            raise ValueError(
                f"{_A}.machines: a reservation covers a single machine type in a single zone; specify one machine "
                "type and one zone"
            )
        if self.purchase == "capacity_block" and self.placement_group is not None:
            raise ValueError(
                f"{_A}.placement_group: EC2 has already placed the machines of a capacity block; leave out "
                "this argument"
            )
        if self.max_spot_price is not None and (self.purchase != "spot" or self.max_spot_price <= 0):
            raise ValueError(
                f"{_A}.max_spot_price: {self.max_spot_price} is not allowed; the price must be above 0, and "
                "purchase must be spot"
            )


def _summary(args: EfaComputeFleetArgs) -> dict[str, object]:
    """Return the component's inputs, which previews compare and from which they compute cost and quotas."""
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
    """Launch templates, one per machine type and zone. The head node uses these templates to launch nodes when jobs
    need them. A node that shuts down is terminated.

    Each template specifies the network interfaces, because machine types differ in their network cards: p5.48xlarge,
    for example, has 33 interfaces, 32 of them EFA, and only one IP address. The subnet is part of each interface,
    because RunInstances doesn't accept a separate subnet together with network interfaces.
    """

    fleet: FleetRef
    """What the head node needs to launch the nodes, including launch template ids keyed by `<machine>/<zone id>`."""

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
        """Return the template's tags, by which the head node finds the template. The head node also sets these tags
        on the machines that it launches from the template.
        """
        args = self._args
        reservation = {} if args.reservation_id is None else {"reservation": args.reservation_id}
        return {**self._node_marks(), "machine": machine, "zone": zone, **reservation}

    def _node_marks(self) -> dict[str, pulumi.Input[str]]:
        """Return the tags that a node reads from its own metadata."""
        args = self._args
        lent = identity_marks(args.identities)
        return {"role": "compute", "queue": args.queue, "config": args.config.bucket, **lent}
