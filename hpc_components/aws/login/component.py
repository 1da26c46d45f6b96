from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
from pulumi import Input, Output

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.components.node_checks import (
    check_image,
    check_machine,
    check_tags,
    check_user_data,
)
from hpc_components.aws.disks.component import RootDisk, check_disk, root_disk
from hpc_components.aws.fleet import launch_template as lt
from hpc_components.aws.head.node_secret import make_node_secret
from hpc_components.aws.identity.component import identity_marks
from hpc_components.aws.identity.permissions import login_statements
from hpc_components.aws.identity.roles import grant
from hpc_components.aws.login.launch_role import make_launch_role
from hpc_components.aws.login.login_balancer import make_balancer, make_listener, make_targets
from hpc_components.aws.login.login_security_groups import make_login_security_groups
from hpc_components.aws.ports import ConfigStore, Identities, Network
from hpc_components.aws.security_groups.component import check_cidr
from hpc_components.aws.tags import Tags
from hpc_components.component import Component

BUSY_CPU_PERCENT = 70
"""Average CPU utilisation of the group, in percent, above which a node is added."""

_A = "LoginNodeNLBArgs"


@dataclass(frozen=True, kw_only=True)
@checked_args
class LoginNodeNLBArgs:
    """Arguments of `LoginNodeNLB`."""

    machine: str
    """Machine type."""
    image: Input[str]
    """Machine image: either `ami-...` or `resolve:ssm:<parameter path>`, which is resolved when a node is
    launched."""
    user_data: str
    """Plain-text script that a node runs at first boot."""
    min: int = 1
    """Minimum number of nodes."""
    max: int = 1
    """Maximum number of nodes. Nodes are added while CPUs are busy, but never removed, because that would end users'
    sessions."""
    network: Network
    """Network that has a private subnet in each of `zones` and, if `public` is set, a public one as well."""
    zones: tuple[str, ...]
    """Ids of the zones across which the nodes are spread."""
    public: bool = False
    """Whether the load balancer is exposed to the internet. The nodes are always in private subnets."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges that may connect to the load balancer, in addition to the network itself."""
    config: ConfigStore
    """Bucket from which nodes fetch their configuration."""
    identities: Identities
    """The nodes' own role, and an optional role that they assume to give users access to buckets."""
    root: RootDisk
    """Root disk."""
    kms_keys: tuple[Input[str], ...] = ()
    """ARNs of other customer-managed keys that encrypt disks, such as the image's key or the account's default
    key."""
    key_pair: Input[str] | None = None
    """Name of an EC2 key pair."""
    retain: bool = True
    """Whether the secret with the host keys can be recovered for 30 days after deletion."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags. Nodes read their own tags, so keys must not contain spaces or slashes."""

    def __post_init__(self) -> None:
        """Refuse arguments that EC2 would refuse."""
        check_machine(f"{_A}.machine", self.machine)
        check_image(f"{_A}.image", self.image)
        check_user_data(f"{_A}.user_data", self.user_data)
        check_disk(self, "root")
        check_tags(f"{_A}.tags", self.tags)
        for index, cidr in enumerate(self.ssh_from):
            check_cidr(f"{_A}.ssh_from[{index}]", cidr)
        if not 1 <= self.min <= self.max:
            raise ValueError(
                f"{_A}.max: min={self.min} and max={self.max} don't form a valid range; use 1 <= min <= max"
            )
        if self.public and not self.ssh_from:
            raise ValueError(
                f"{_A}.ssh_from: without address ranges, no user could reach the public load balancer; "
                "specify at least one"
            )
        self._check_zones()

    def _check_zones(self) -> None:
        if not self.zones or len(set(self.zones)) < len(self.zones):
            raise ValueError(f"{_A}.zones: {self.zones} must contain at least one zone and no duplicates")
        kinds = {"private": self.network.private_subnets}
        if self.public:
            kinds["public"] = self.network.public_subnets
        for kind, subnets in kinds.items():
            for index, zone in enumerate(self.zones):
                if zone not in subnets:
                    there = ", ".join(subnets) or "none"
                    raise ValueError(
                        f"{_A}.zones[{index}]: zone {zone!r} has no {kind} subnet; zones that have one: {there}"
                    )


class LoginNodeNLB(Component[LoginNodeNLBArgs]):
    """A Network Load Balancer for SSH and an Auto Scaling group of login nodes behind it.

    Connections from the same source address always go to the same node, so users find their `tmux` sessions again.
    All nodes share the same host keys, which the first node stores in a secret. Changes to the launch template apply
    only to new nodes; to replace running nodes, start an instance refresh.
    """

    dns_name: Output[str]
    """Host name that users log in to."""
    host_keys_secret_arn: Output[str]
    """ARN of the secret that holds the host keys shared by all login nodes."""
    auto_scaling_group: Output[str]
    """Name of the Auto Scaling group."""
    security_group_id: Output[str]
    """Id of the load balancer's security group."""

    def _make(self, name: str, args: LoginNodeNLBArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"machine": args.machine, "min": args.min, "max": args.max, "public": args.public}
        self._register("hpc:aws:LoginNodeNLB", name, summary, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        host_keys = make_node_secret(
            name, "ssh-host", config=args.config, retain=args.retain, tags=args.tags, opts=self._child
        )
        front, behind = make_login_security_groups(
            name,
            vpc_id=args.network.id,
            ssh_from=(args.network.cidr, *args.ssh_from),
            tags=args.tags,
            opts=self._child,
        )
        subnets = args.network.public_subnets if args.public else args.network.private_subnets
        balancer = make_balancer(
            name,
            public=args.public,
            subnets=[subnets[zone] for zone in args.zones],
            group=front,
            tags=args.tags,
            opts=self._child,
        )
        targets = make_targets(name, vpc_id=args.network.id, tags=args.tags, opts=self._child)
        statements = login_statements(args.tags.cluster, args.config, host_keys.arn)
        grants = grant(name, args.identities, statements, self._child)
        lent = identity_marks(args.identities)
        self._node_tags = args.tags.for_resource(name, role="login", config=args.config.bucket, **lent)
        group = self._make_group(self._make_template(behind), targets, grants)
        # On destroy, delete the listener before the nodes. Otherwise, deleting the nodes would wait up to an hour for
        # their sessions to end.
        before_nodes = pulumi.ResourceOptions(parent=self, depends_on=[group])
        make_listener(name, balancer=balancer, targets=targets, tags=args.tags, opts=before_nodes)
        if args.min < args.max:
            self._grow_when_busy(group)

        self.dns_name = balancer.dns_name
        self.host_keys_secret_arn = host_keys.arn
        self.auto_scaling_group = group.name
        self.security_group_id = front.id
        self.register_outputs({"dnsName": self.dns_name, "autoScalingGroup": self.auto_scaling_group})

    def _make_template(self, behind: aws.ec2.SecurityGroup) -> aws.ec2.LaunchTemplate:
        args, name = self._args, f"{self._name}-template"
        return aws.ec2.LaunchTemplate(
            name,
            image_id=args.image,
            instance_type=args.machine,
            user_data=lt.encoded_user_data(args.user_data),
            key_name=args.key_pair,
            iam_instance_profile=aws.ec2.LaunchTemplateIamInstanceProfileArgs(
                name=args.identities.own.instance_profile
            ),
            vpc_security_group_ids=[*args.network.security_groups.login, behind.id],
            block_device_mappings=root_disk(args.root),
            metadata_options=lt.metadata_options(),
            update_default_version=True,
            tag_specifications=lt.tag_specifications(self._node_tags),
            tags=args.tags.for_resource(name),
            opts=self._child,
        )

    def _make_group(
        self, template: aws.ec2.LaunchTemplate, targets: aws.lb.TargetGroup, grants: list[pulumi.Resource]
    ) -> aws.autoscaling.Group:
        args = self._args
        role, uses_keys = None, []
        if keys := tuple(dict.fromkeys([*([args.root.kms_key] if args.root.kms_key else []), *args.kms_keys])):
            role, uses_keys = make_launch_role(self._name, keys, config=args.config, tags=args.tags, opts=self._child)
        return aws.autoscaling.Group(
            self._name,
            min_size=args.min,
            max_size=args.max,
            vpc_zone_identifiers=[args.network.private_subnets[zone] for zone in args.zones],
            # use an explicit version number so that previews show changes
            launch_template=aws.autoscaling.GroupLaunchTemplateArgs(
                id=template.id, version=template.latest_version.apply(str)
            ),
            service_linked_role_arn=role.arn if role else None,
            target_group_arns=[targets.arn],
            # ELB health checks would replace a node whose sshd is slow, which would end the node's sessions; with EC2
            # health checks, the node only stops receiving new sessions
            health_check_type="EC2",
            # rebalancing would end sessions
            suspended_processes=["AZRebalance"],
            # without this option, the provider waits for the group to become empty and gives up after ten minutes
            force_delete=True,
            tags=[
                aws.autoscaling.GroupTagArgs(key=key, value=value, propagate_at_launch=True)
                for key, value in self._node_tags.items()
            ],
            # the group launches nodes as soon as it exists, so permissions must be in place first
            opts=pulumi.ResourceOptions(parent=self, depends_on=[*grants, *uses_keys]),
        )

    def _grow_when_busy(self, group: aws.autoscaling.Group) -> None:
        aws.autoscaling.Policy(
            f"{self._name}-grow",
            autoscaling_group_name=group.name,
            policy_type="TargetTrackingScaling",
            target_tracking_configuration=aws.autoscaling.PolicyTargetTrackingConfigurationArgs(
                predefined_metric_specification=(
                    aws.autoscaling.PolicyTargetTrackingConfigurationPredefinedMetricSpecificationArgs(
                        predefined_metric_type="ASGAverageCPUUtilization"
                    )
                ),
                target_value=BUSY_CPU_PERCENT,
                disable_scale_in=True,
            ),
            opts=self._child,
        )
