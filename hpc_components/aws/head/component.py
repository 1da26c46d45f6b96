from dataclasses import dataclass, field
from ipaddress import IPv4Address

import pulumi
import pulumi_aws as aws
from pulumi import Input, Output

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.catalog.network_limits import log_retention_days
from hpc_components.aws.components.node_checks import (
    check_image,
    check_machine,
    check_tags,
    check_user_data,
)
from hpc_components.aws.disks.component import RootDisk, StateDisk, check_disk, root_disk
from hpc_components.aws.fleet import launch_template as lt
from hpc_components.aws.head.node_secret import make_node_secret
from hpc_components.aws.identity.component import identity_marks
from hpc_components.aws.identity.permissions import head_statements, node_log_group
from hpc_components.aws.identity.roles import grant
from hpc_components.aws.ports import ConfigStore, FleetRef, Identities
from hpc_components.aws.tags import Tags
from hpc_components.component import Component
from hpc_components.identity_check import check_not_shared
from hpc_components.resource_options import protected_options

STATE_DEVICE = "/dev/sdf"
"""Device name of the state volume. The node finds the volume by its id, which is stored in the tag
`hpc:state-volume`."""

_A = "SlurmHeadNodeArgs"


@dataclass(frozen=True, kw_only=True)
@checked_args
class SlurmHeadNodeArgs:
    """Arguments of `SlurmHeadNode`."""

    machine: str
    """Machine type."""
    image: Input[str]
    """Machine image: either `ami-...` or `resolve:ssm:<parameter path>`, which is resolved when the node is
    launched."""
    user_data: str
    """Plain-text script that the node runs at first boot. Changes take effect when the node is replaced."""
    subnet_id: Input[str]
    """Id of the node's subnet."""
    availability_zone: Input[str]
    """Name of the zone of the subnet and the state volume, such as `us-east-2b` (not the zone id)."""
    private_ip: str
    """The node's fixed address in the subnet. All other nodes use this address."""
    security_group_ids: tuple[Input[str], ...]
    """Ids of the node's security groups."""
    public: bool = False
    """Whether to give the node a fixed public address. If so, the subnet must have a route to the internet."""
    root: RootDisk
    """Root disk; lost when the node is replaced."""
    state: StateDisk
    """State volume; kept when the node is replaced."""
    config: ConfigStore
    """Bucket from which the node fetches its configuration."""
    identities: Identities
    """The node's own role, and the role that the node lends to logged-in users."""
    fleets: tuple[FleetRef, ...]
    """Fleets whose compute nodes the head node may launch."""
    image_parameters: tuple[str, ...] = ()
    """Paths of the SSM parameters that contain the fleets' image ids. Parameters published by AWS and Canonical can
    be left out."""
    kms_keys: tuple[Input[str], ...] = ()
    """ARNs of the keys that encrypt the fleets' disks and images, and the secrets that the head node reads."""
    read_secrets: tuple[Input[str], ...] = ()
    """ARNs of secrets that the node reads, such as the password of an existing accounting database."""
    key_pair: Input[str] | None = None
    """Name of an EC2 key pair. Session Manager works without one."""
    log_retention_days: int = 180
    """Log retention for all nodes, in days; must be one of the retention times that CloudWatch offers."""
    retain: bool = True
    """Whether to protect the state volume, and to keep it in the cloud when it is removed from the program."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags. The node reads its own tags from the metadata service, which does not support keys with
    spaces or slashes."""

    def __post_init__(self) -> None:
        """Refuse arguments that EC2 would refuse."""
        check_machine(f"{_A}.machine", self.machine)
        check_image(f"{_A}.image", self.image)
        check_user_data(f"{_A}.user_data", self.user_data)
        check_disk(self, "root")
        check_disk(self, "state")
        check_tags(f"{_A}.tags", self.tags)
        theirs = [
            name
            for fleet in self.fleets
            for each in (fleet.identities.own, fleet.identities.lent)
            if each is not None
            for name in (each.instance_profile, each.role_arn)
        ]
        for name in (self.identities.own.instance_profile, self.identities.own.role_arn):
            check_not_shared(f"{_A}.identities.own", name, theirs)
        if self.log_retention_days not in log_retention_days():
            raise ValueError(
                f"{_A}.log_retention_days: CloudWatch can't keep logs for {self.log_retention_days} days;"
                f" use one of {', '.join(map(str, log_retention_days()))}"
            )
        try:
            IPv4Address(self.private_ip)
        except ValueError:
            raise ValueError(
                f"{_A}.private_ip: {self.private_ip!r} is not an IPv4 address; use an address such as 10.20.64.20"
            ) from None


class SlurmHeadNode(Component[SlurmHeadNodeArgs]):
    """The head node, and everything that is kept when the node is replaced: its address and state volume, and the
    cluster's secrets and logs.

    A new machine type only stops and restarts the node, but a new image, root disk or key pair replaces it. The old
    node is then stopped first, so that Slurm saves its state and the volume is unmounted cleanly. After that, the new
    node takes over the address and the volume. Jobs keep running in the meantime.

    Queues, scripts and limits are not part of this component, so changing them doesn't replace the node.
    """

    private_ip: Output[str]
    """The node's fixed private address."""
    public_ip: Output[str] | None
    """The node's public address, or None if `public` is not set."""
    instance_id: Output[str]
    """Instance id of the current head node."""
    munge_secret_arn: Output[str]
    """ARN of the secret that holds the munge key. The node creates the key at first boot."""
    jwt_secret_arn: Output[str]
    """ARN of the secret that holds the key for signing Slurm's tokens. The node creates the key at first boot."""
    log_group_name: Output[str]
    """Name of the log group for all nodes."""
    state_volume_id: Output[str]
    """Id of the state volume."""

    def _make(self, name: str, args: SlurmHeadNodeArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"machine": args.machine, "image": args.image, "privateIp": args.private_ip, "public": args.public}
        self._register("hpc:aws:SlurmHeadNode", name, summary, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        munge, jwt = (
            make_node_secret(name, what, config=args.config, retain=args.retain, tags=args.tags, opts=self._child)
            for what in ("munge", "jwt")
        )
        logs = aws.cloudwatch.LogGroup(
            f"{name}-logs",
            name=node_log_group(args.tags.cluster),
            retention_in_days=args.log_retention_days,
            tags=args.tags.for_resource(f"{name}-logs"),
            opts=self._child,
        )
        interface = self._make_interface()
        volume = self._make_state_volume(opts)
        instance = self._make_instance(interface, volume, self._grant(munge, jwt))
        self._attach(volume, instance)

        self.private_ip = interface.private_ip
        self.public_ip = self._make_public_address(interface) if args.public else None
        self.instance_id = instance.id
        self.munge_secret_arn, self.jwt_secret_arn = munge.arn, jwt.arn
        self.log_group_name = logs.name
        self.state_volume_id = volume.id
        self.register_outputs(
            {"privateIp": self.private_ip, "publicIp": self.public_ip, "instanceId": self.instance_id}
        )

    def _grant(self, *secrets: aws.secretsmanager.Secret) -> list[pulumi.Resource]:
        args = self._args
        statements = head_statements(
            cluster=args.tags.cluster,
            config=args.config,
            fleets=args.fleets,
            secrets=[secret.arn for secret in secrets],
            read_secrets=args.read_secrets,
            image_parameters=args.image_parameters,
            kms_keys=args.kms_keys,
        )
        return grant(self._name, args.identities, statements, self._child)

    def _make_interface(self) -> aws.ec2.NetworkInterface:
        args, name = self._args, f"{self._name}-interface"
        return aws.ec2.NetworkInterface(
            name,
            subnet_id=args.subnet_id,
            private_ips=[args.private_ip],
            security_groups=list(args.security_group_ids),
            tags=args.tags.for_resource(name),
            # two interfaces can't have the same address
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )

    def _make_public_address(self, interface: aws.ec2.NetworkInterface) -> Output[str]:
        name = f"{self._name}-address"
        address = aws.ec2.Eip(
            name,
            domain="vpc",
            network_interface=interface.id,
            tags=self._args.tags.for_resource(name),
            opts=self._child,
        )
        return address.public_ip

    def _make_state_volume(self, opts: pulumi.ResourceOptions | None) -> aws.ebs.Volume:
        args, name = self._args, f"{self._name}-state"
        return aws.ebs.Volume(
            name,
            availability_zone=args.availability_zone,
            size=args.state.size_gib,
            type=args.state.type,
            iops=args.state.iops,
            throughput=args.state.throughput,
            encrypted=True,
            kms_key_id=args.state.kms_key,
            tags=args.tags.for_resource(name),
            opts=protected_options(self, opts, retain=args.retain),
        )

    def _make_instance(
        self,
        interface: aws.ec2.NetworkInterface,
        volume: aws.ebs.Volume,
        grants: list[pulumi.Resource],
    ) -> aws.ec2.Instance:
        args = self._args
        lent = identity_marks(args.identities)
        return aws.ec2.Instance(
            self._name,
            launch_template=aws.ec2.InstanceLaunchTemplateArgs(id=self._make_template().id, version="$Latest"),
            instance_type=args.machine,
            iam_instance_profile=args.identities.own.instance_profile,
            key_name=args.key_pair,
            primary_network_interface=aws.ec2.InstancePrimaryNetworkInterfaceArgs(network_interface_id=interface.id),
            metadata_options=aws.ec2.InstanceMetadataOptionsArgs(
                http_endpoint="enabled",
                http_tokens="required",
                http_put_response_hop_limit=1,
                instance_metadata_tags="enabled",
            ),
            maintenance_options=aws.ec2.InstanceMaintenanceOptionsArgs(auto_recovery="default"),
            instance_initiated_shutdown_behavior="stop",
            tags=args.tags.for_resource(
                self._name, role="head", config=args.config.bucket, state_volume=volume.id, **lent
            ),
            opts=pulumi.ResourceOptions(
                parent=self,
                # the node needs these permissions from first boot until it is terminated
                depends_on=grants,
                # two nodes can't share the network interface or the volume
                delete_before_replace=True,
                # a new template version must not replace the current node, but a new template must
                ignore_changes=["launchTemplate.version"],
            ),
        )

    def _make_template(self) -> aws.ec2.LaunchTemplate:
        """Make the launch template, which contains the settings that can't be changed without replacing the node.

        `resolve:ssm:` can't be set on the instance itself, because the provider would replace the instance at every
        update, and would fail for an instance with a root disk (terraform-provider-aws issues 43364, 43488). A new
        image or root disk creates a new template and thus a new node. New tags or user data create a new template
        version, which doesn't affect the node.
        """
        args, name = self._args, f"{self._name}-template"
        tags = args.tags.for_resource(self._name, role="head")
        return aws.ec2.LaunchTemplate(
            name,
            image_id=args.image,
            block_device_mappings=root_disk(args.root),
            user_data=lt.encoded_user_data(args.user_data),
            tag_specifications=[aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type="volume", tags=tags)],
            tags=args.tags.for_resource(name),
            opts=pulumi.ResourceOptions(parent=self, replace_on_changes=["image_id", "block_device_mappings"]),
        )

    def _attach(self, volume: aws.ebs.Volume, instance: aws.ec2.Instance) -> None:
        aws.ec2.VolumeAttachment(
            f"{self._name}-state-attachment",
            device_name=STATE_DEVICE,
            volume_id=volume.id,
            instance_id=instance.id,
            # stop the node cleanly; force_detach would remove the volume while the database is running
            stop_instance_before_detaching=True,
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )
