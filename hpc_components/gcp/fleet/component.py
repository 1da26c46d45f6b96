import re
from dataclasses import dataclass, field
from itertools import product

import pulumi
import pulumi_gcp as gcp
from pulumi import Input

from hpc_components.catalog import machine as catalog_machine
from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.components.short_names import short_name
from hpc_components.gcp.disks.component import RootDisk, check_disk, template_disk
from hpc_components.gcp.fleet import machine_profile as profile
from hpc_components.gcp.fleet.fleet_checks import (
    check_machines,
    check_placement,
    check_purchase,
)
from hpc_components.gcp.fleet.model import PurchaseKind
from hpc_components.gcp.fleet.node_checks import (
    check_image,
    check_name,
    check_tags,
    check_user_data,
    region_of_zones,
)
from hpc_components.gcp.fleet.node_metadata import BY_IAP, Login, node_metadata
from hpc_components.gcp.fleet.offer import FleetOrder, refusals
from hpc_components.gcp.identity.node_grants import compute_grants
from hpc_components.gcp.identity.roles import grant
from hpc_components.gcp.ports import CardSubnet, CompactPlacement, FleetRef, Identities, Network, Services
from hpc_components.gcp.tags import Tags
from hpc_components.spec.surfaces import Key, Keys, refuse_first

_A = "CompactComputeFleetArgs"

_ARGUMENTS: Keys = {"machine": Key(("machines", 0)), "tier_1": Key(("tier_1",)), "others": None}
"""Maps each field of `FleetOrder` to its argument. The machine is the first item in `machines`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class CompactComputeFleetArgs:
    """Arguments of `CompactComputeFleet`."""

    project: str
    """Id of the project."""
    queue: str
    """Name of the Slurm partition, and prefix of the node names."""
    machines: tuple[str, ...]
    """Machine types, in the order in which they are tried."""
    network: Network
    """Network with a subnet for `nodes`. Machines that use a fabric also need subnets for their additional network
    cards."""
    zones: tuple[str, ...]
    """Zones of one region, in the order in which they are tried."""
    max: int
    """Maximum number of nodes."""
    min: int = 0
    """Number of nodes to keep running."""
    purchase: PurchaseKind = "on_demand"
    """Purchase option of the machines."""
    reservation: Input[str] | None = None
    """Reservation id (`projects/<project>/reservations/<name>`), if `purchase` is `reservation`."""
    bound: bool | None = None
    """Whether machines are terminated when their reservation ends. Default: True in a reservation block, and for
    machines with RDMA between GPUs."""
    max_run_seconds: int | None = None
    """Maximum run time of a `flex_start` machine in seconds, from 600 to 604800. Default: 604800."""
    placement: CompactPlacement | None = None
    """How the elastic daemon places machines close together, or None for no compact placement."""
    spread: int | None = None
    """Number of availability domains, if `policy` is a spread policy."""
    policy: Input[str] | None = None
    """Id of a resource policy for all machines, used instead of the daemon's own policies."""
    fabric: bool | None = None
    """Whether to use Cloud RDMA or the networks between GPUs; default: True if the machine has either."""
    tier_1: bool = False
    """Whether to use Tier_1 networking, which provides higher network bandwidth at an extra charge."""
    smt: bool = True
    """Whether to run two hardware threads per core, if the machine supports it."""
    image: Input[str]
    """Machine image: `projects/<project>/global/images/<name>`, or `.../images/family/<name>`."""
    user_data: str
    """Script that a node runs at first boot, as plain text."""
    run_by_agent: bool = False
    """Whether Google's guest agent runs `user_data`, because the image has no cloud-init. The agent runs it at every
    boot."""
    root: RootDisk
    """Root disk."""
    login: Login = BY_IAP
    """Administrator access to the nodes."""
    identities: Identities
    """The nodes' service account, and the account (if any) whose tokens the nodes issue to jobs."""
    services: Services
    """Configuration and secrets that nodes use at boot."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster, applied as labels."""

    def __post_init__(self) -> None:
        """Refuse arguments that Google would refuse, in some cases only at the first launch."""
        if not re.fullmatch(r"[a-z][a-z0-9-]*", self.queue):
            raise ValueError(
                f"{_A}.queue: {self.queue!r} can't be part of node names; use lower-case letters, digits and hyphens"
            )
        if not 0 <= self.min <= self.max or self.max < 1:
            raise ValueError(
                f"{_A}.max: {self.max} can't be combined with min {self.min}; use 0 <= min <= max and max >= 1"
            )
        check_name(f"{_A}.queue", f"{self.tags.cluster}-{self.queue}-{self.max}")
        if "nodes" not in self.network.subnets:
            there = ", ".join(self.network.subnets) or "none"
            raise ValueError(f"{_A}.network: there is no subnet for nodes (existing subnets: {there})")
        region_of_zones(f"{_A}.zones", self.zones)
        check_machines(_A, self.machines, fabric=self.fabric)
        self._check_cards()
        check_purchase(
            _A,
            self.machines,
            purchase=self.purchase,
            reserved=self.reservation is not None,
            bound=self.bound,
            zones=len(self.zones),
            max_run_seconds=self.max_run_seconds,
        )
        check_placement(
            _A,
            self.machines,
            self.placement,
            purchase=self.purchase,
            spread=self.spread,
            has_policy=self.policy is not None,
        )
        self._check_tier_1()
        check_image(f"{_A}.image", self.image)
        check_user_data(f"{_A}.user_data", self.user_data)
        for machine in self.machines:
            check_disk(self, "root", machine, root=True)
        check_tags(f"{_A}.tags", self.tags)

    def _check_tier_1(self) -> None:
        for index, name in enumerate(self.machines):
            if known := catalog_machine("gcp", name):
                keys = {**_ARGUMENTS, "machine": Key(("machines", index))}
                refuse_first(self, refusals(FleetOrder(machine=known, tier_1=self.tier_1)), keys)

    def _check_cards(self) -> None:
        for zone in self.zones:
            if self.fabric and (self.queue, zone) not in self.network.cards:
                raise ValueError(
                    f"{_A}.network: queue {self.queue} has no subnets for additional network cards in {zone}; "
                    "add these subnets, or remove fabric"
                )

    @property
    def region(self) -> str:
        """Region of the zones."""
        return region_of_zones(f"{_A}.zones", self.zones)

    def cards_of(self, machine: str, zone: str) -> tuple[CardSubnet, ...]:
        """Return the subnets for a machine type's additional network cards in a zone."""
        return self.network.cards.get((self.queue, zone), ()) if profile.has_fabric(machine, self.fabric) else ()


class CompactComputeFleet(Component[CompactComputeFleetArgs]):
    """Instance templates, one for each machine type and zone, from which the head node launches nodes for jobs.

    Templates can't be modified, so a change creates a new template and then deletes the old one. Running nodes are
    not affected, and the head node finds the new template in `head/fleets.json`. Templates contain no node counts, so
    changing `min` or `max` creates no new template.
    """

    fleet: FleetRef
    """What the head node needs to launch the fleet's nodes. Templates are keyed by `<machine>/<zone>`."""

    def _make(self, name: str, args: CompactComputeFleetArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:CompactComputeFleet", name, _summary(args), opts)
        self._name, self._args = name, args
        child = pulumi.ResourceOptions(parent=self)
        self._grants = grant(name, args.identities.own, compute_grants(args.services, args.project), child)
        templates = {
            f"{machine}/{zone}": self._make_template(machine, zone).id
            for machine, zone in product(args.machines, args.zones)
        }
        self.fleet = FleetRef(
            queue=args.queue,
            templates=templates,
            purchase=args.purchase,
            service_account=args.identities.own.email,
            subnets=self._subnets(),
            placement=args.placement,
            spread=args.spread,
            policy=args.policy,
            max_run_seconds=profile.run_seconds(args.purchase, args.max_run_seconds),
            images=(args.image,),
        )
        self.register_outputs({"templates": dict(self.fleet.templates)})

    def _make_template(self, machine: str, zone: str) -> "gcp.compute.RegionInstanceTemplate":
        args = self._args
        name = short_name(f"{self._name}-{machine}-{zone}")
        labels = args.tags.for_resource(name, role="compute", queue=args.queue)
        placed = args.placement is not None or args.policy is not None
        return gcp.compute.RegionInstanceTemplate(
            name,
            project=args.project,
            region=args.region,
            machine_type=machine,
            disks=[template_disk(args.root, machine=machine, image=args.image, labels=labels)],
            network_interfaces=profile.cards(args.network.subnets["nodes"], args.cards_of(machine, zone)),
            network_performance_config=profile.network_performance(tier_1=args.tier_1),
            scheduling=profile.scheduling(
                machine,
                args.purchase,
                placed=placed,
                bound=profile.is_bound(machine, args.reservation, bound=args.bound),
                max_run_seconds=args.max_run_seconds,
            ),
            advanced_machine_features=profile.advanced_features(machine, smt=args.smt),
            reservation_affinity=profile.reservation_affinity(args.purchase, args.reservation),
            service_account=profile.service_account(args.identities.own.email),
            shielded_instance_config=profile.shielded(),
            metadata=self._metadata(machine, zone),
            labels=labels,
            # nodes need these permissions from boot until they are deleted
            opts=pulumi.ResourceOptions(parent=self, depends_on=self._grants),
        )

    def _metadata(self, machine: str, zone: str) -> dict[str, Input[str]]:
        args = self._args
        return node_metadata(
            role="compute",
            cluster=args.tags.cluster,
            project=args.project,
            services=args.services,
            identities=args.identities,
            user_data=args.user_data,
            run_by_agent=args.run_by_agent,
            login=args.login,
            queue=args.queue,
            machine=machine,
            zone=zone,
            purchase=args.purchase,
        )

    def _subnets(self) -> dict[str, Input[str]]:
        """Return the nodes' subnets, keyed by names that stay the same when queues are added or removed."""
        args, found = self._args, {"nodes": self._args.network.subnets["nodes"]}
        for machine, zone in product(args.machines, args.zones):
            for number, card in enumerate(args.cards_of(machine, zone), start=1):
                found[f"{zone}-{card.nic_type.lower()}-{number}"] = card.subnet
        return found


def _summary(args: CompactComputeFleetArgs) -> dict[str, object]:
    """Return the inputs from which plans calculate costs and quotas. Previews show changes to these inputs."""
    near = "cluster" if args.placement is not None else "spread" if args.spread is not None else "none"
    return {
        "queue": args.queue,
        "machines": list(args.machines),
        "zones": list(args.zones),
        "min": args.min,
        "max": args.max,
        "purchase": args.purchase,
        "fabric": profile.has_fabric(args.machines[0], args.fabric),
        "placement": near,
        "smt": args.smt,
    }
