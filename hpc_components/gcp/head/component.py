from dataclasses import dataclass, field
from ipaddress import IPv4Address

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.disks.component import RootDisk, StateDisk, attached, check_disk, make_state_disk, type_for
from hpc_components.gcp.fleet import machine_profile as profile
from hpc_components.gcp.fleet.node_checks import (
    check_image,
    check_machine,
    check_name,
    check_tags,
    check_user_data,
    region_of_zones,
)
from hpc_components.gcp.fleet.node_metadata import BY_IAP, Login, node_metadata, script_key
from hpc_components.gcp.head.fleets_file import FLEETS_OBJECT, fleets_json
from hpc_components.gcp.head.head_roles import make_head_roles
from hpc_components.gcp.identity.node_grants import head_grants
from hpc_components.gcp.identity.roles import grant
from hpc_components.gcp.ports import FleetRef, Identities, Services
from hpc_components.gcp.tags import Tags
from hpc_components.identity_check import check_not_shared
from hpc_components.resource_options import protected_options

_A = "SlurmHeadNodeArgs"


@dataclass(frozen=True, kw_only=True)
@checked_args
class SlurmHeadNodeArgs:
    """Arguments of `SlurmHeadNode`."""

    project: str
    """Id of the project."""
    machine: str
    """Machine type."""
    image: Input[str]
    """Machine image: `projects/<project>/global/images/<name>`, or `.../images/family/<name>`."""
    user_data: str
    """Script that the node runs at first boot, as plain text. A change takes effect when the node is next
    replaced."""
    run_by_agent: bool = False
    """Whether Google's guest agent runs `user_data`, because the image has no cloud-init. The agent runs it at every
    boot."""
    zone: str
    """The node's zone, e.g. `us-central1-a`."""
    subnet_id: Input[str]
    """Id of the node's subnet."""
    private_ip: str
    """Fixed private address, which the other nodes use to reach the head node."""
    public: bool = False
    """Whether to give the node a fixed public address."""
    root: RootDisk
    """Root disk, which is lost when the node is replaced."""
    state: StateDisk
    """State disk, which is kept when the node is replaced."""
    login: Login = BY_IAP
    """Administrator access to the node."""
    identities: Identities
    """The node's service account, and the account for which the node issues tokens to users who log in here."""
    services: Services
    """Configuration and secrets that the node uses at boot. The node generates the secret keys itself."""
    fleets: tuple[FleetRef, ...]
    """Fleets whose nodes the head node may launch."""
    retain: bool = True
    """Whether to protect the state disk from deletion, and to keep the disk in the cloud when it is removed from the
    program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster, applied as labels."""

    def __post_init__(self) -> None:
        check_machine(f"{_A}.machine", self.machine)
        check_image(f"{_A}.image", self.image)
        check_user_data(f"{_A}.user_data", self.user_data)
        region_of_zones(f"{_A}.zone", (self.zone,))
        check_disk(self, "root", self.machine, root=True)
        check_disk(self, "state", self.machine, root=False)
        check_tags(f"{_A}.tags", self.tags)
        theirs = [fleet.service_account for fleet in self.fleets]
        check_not_shared(f"{_A}.identities.own", self.identities.own.email, theirs)
        queues = [fleet.queue for fleet in self.fleets]
        for index, queue in enumerate(queues):
            if queue in queues[:index]:
                raise ValueError(f"{_A}.fleets[{index}]: queue {queue!r} has two fleets; remove one of them")
        try:
            IPv4Address(self.private_ip)
        except ValueError:
            raise ValueError(
                f"{_A}.private_ip: {self.private_ip!r} is not an IPv4 address; use an address such as 10.20.0.20"
            ) from None

    @property
    def region(self) -> str:
        """The zone's region."""
        return region_of_zones(f"{_A}.zone", (self.zone,))


class SlurmHeadNode(Component[SlurmHeadNodeArgs]):
    """The head node. Its addresses and state disk are kept when the node is replaced.

    A new image or root disk type replaces the node. Google shuts the old node down before deleting it, so that Slurm
    saves its state and the disk is unmounted cleanly. The new node then takes over the addresses and the disk, while
    jobs keep running. By contrast, a new machine type only restarts the node, and the root disk can grow in place.

    Changes to queues, scripts and limits don't replace the node, because the node fetches them. For example, it reads
    the queues' templates from `head/fleets.json` at each launch. The component's name is also the machine's name.
    """

    private_ip: str
    """The node's fixed private address."""
    public_ip: Output[str] | None
    """The node's public address, or None if `public` is False."""
    instance_id: Output[str]
    """Id of the machine."""
    state_disk_id: Output[str]
    """Id of the state disk."""

    def _make(self, name: str, args: SlurmHeadNodeArgs, opts: pulumi.ResourceOptions | None) -> None:
        check_name("name", name)
        summary = {"machine": args.machine, "image": args.image, "privateIp": args.private_ip, "public": args.public}
        self._register("hpc:gcp:SlurmHeadNode", name, summary, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        before = grant(name, args.identities.own, head_grants(args.services, args.project), self._child)
        before += make_head_roles(
            name,
            identity=args.identities.own,
            cluster=args.tags.cluster,
            project=args.project,
            fleets=args.fleets,
            opts=self._child,
        )
        before.append(self._make_fleets_file())
        inside, outside = self._make_inner_address(), self._make_public_address() if args.public else None
        disk = make_state_disk(
            f"{name}-state",
            args.state,
            machine=args.machine,
            zone=args.zone,
            project=args.project,
            tags=args.tags,
            opts=protected_options(self, opts, retain=args.retain),
        )
        machine = self._make_machine(inside, outside, disk, before)

        self.private_ip = args.private_ip
        self.public_ip = outside.address if outside else None
        self.instance_id, self.state_disk_id = machine.id, disk.id
        self.register_outputs(
            {"privateIp": self.private_ip, "publicIp": self.public_ip, "instanceId": self.instance_id}
        )

    def _make_fleets_file(self) -> "gcp.storage.BucketObject":
        args = self._args
        return gcp.storage.BucketObject(
            f"{self._name}-fleets",
            bucket=args.services.config.bucket,
            name=FLEETS_OBJECT,
            content_type="application/json",
            # the SDK treats `content` as a secret, so plans wouldn't show the text
            source=fleets_json(args.project, args.fleets).apply(lambda text: pulumi.StringAsset(text)),
            # changed text becomes a new object with the same name, so delete the old object first
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )

    def _make_inner_address(self) -> "gcp.compute.Address":
        """Reserve the address so that no other machine can take it while the node is being replaced."""
        args, name = self._args, f"{self._name}-inside"
        return gcp.compute.Address(
            name,
            project=args.project,
            region=args.region,
            address_type="INTERNAL",
            purpose="GCE_ENDPOINT",
            subnetwork=args.subnet_id,
            address=args.private_ip,
            labels=args.tags.for_resource(name),
            # the old and the new resource can't have the same address
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )

    def _make_public_address(self) -> "gcp.compute.Address":
        args, name = self._args, f"{self._name}-address"
        return gcp.compute.Address(
            name,
            project=args.project,
            region=args.region,
            address_type="EXTERNAL",
            labels=args.tags.for_resource(name),
            opts=self._child,
        )

    def _make_machine(
        self,
        inside: "gcp.compute.Address",
        outside: "gcp.compute.Address | None",
        disk: "gcp.compute.Disk",
        before: list[pulumi.Resource],
    ) -> "gcp.compute.Instance":
        args, compute = self._args, gcp.compute
        return compute.Instance(
            self._name,
            name=self._name,
            project=args.project,
            zone=args.zone,
            machine_type=args.machine,
            # the provider must stop and restart the machine to change its type
            allow_stopping_for_update=True,
            boot_disk=self._root_disk(),
            attached_disks=[attached(disk)],
            network_interfaces=[_interface(args.subnet_id, inside, outside)],
            scheduling=_scheduling(args.machine),
            service_account=compute.InstanceServiceAccountArgs(
                email=args.identities.own.email, scopes=[profile.CLOUD_PLATFORM]
            ),
            shielded_instance_config=compute.InstanceShieldedInstanceConfigArgs(
                enable_vtpm=True, enable_integrity_monitoring=True, enable_secure_boot=False
            ),
            metadata=self._metadata(),
            labels=args.tags.for_resource(self._name, role="head"),
            opts=pulumi.ResourceOptions(
                parent=self,
                # otherwise the node could boot before it has its permissions, and would lose them before it is
                # destroyed
                depends_on=before,
                # the old and the new node can't share a name, an address or a disk
                delete_before_replace=True,
                # don't replace the node when this script changes: the node fetches everything else that can change
                ignore_changes=[f'metadata["{script_key(run_by_agent=args.run_by_agent)}"]'],
            ),
        )

    def _root_disk(self) -> "gcp.compute.InstanceBootDiskArgs":
        args, root = self._args, self._args.root
        return gcp.compute.InstanceBootDiskArgs(
            auto_delete=True,
            initialize_params=gcp.compute.InstanceBootDiskInitializeParamsArgs(
                image=args.image,
                size=root.size_gib,
                type=type_for(root, args.machine),
                provisioned_iops=root.iops,
                provisioned_throughput=root.throughput,
                labels=args.tags.for_resource(self._name),
            ),
            kms_key_self_link=root.kms_key,
        )

    def _metadata(self) -> dict[str, Input[str]]:
        args = self._args
        return node_metadata(
            role="head",
            cluster=args.tags.cluster,
            project=args.project,
            services=args.services,
            identities=args.identities,
            user_data=args.user_data,
            run_by_agent=args.run_by_agent,
            login=args.login,
            zone=args.zone,
        )


def _scheduling(machine: str) -> "gcp.compute.InstanceSchedulingArgs | None":
    """Return the settings with which Google stops and restarts a machine for host maintenance, or None for the
    default, which is live migration.
    """
    if not profile.stops_for_maintenance(machine):
        return None
    return gcp.compute.InstanceSchedulingArgs(on_host_maintenance="TERMINATE", automatic_restart=True)


def _interface(
    subnet: Input[str], inside: "gcp.compute.Address", outside: "gcp.compute.Address | None"
) -> "gcp.compute.InstanceNetworkInterfaceArgs":
    public = None
    if outside is not None:
        public = [gcp.compute.InstanceNetworkInterfaceAccessConfigArgs(nat_ip=outside.address)]
    return gcp.compute.InstanceNetworkInterfaceArgs(
        subnetwork=subnet, network_ip=inside.address, nic_type="GVNIC", access_configs=public
    )
