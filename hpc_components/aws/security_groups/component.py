from dataclasses import dataclass, field
from ipaddress import IPv4Network

import pulumi
import pulumi_aws as aws

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.ports import SecurityGroupIds
from hpc_components.aws.security_groups.security_rules import ROLES, Role, Rule, security_rules
from hpc_components.aws.tags import Tags
from hpc_components.component import Component
from hpc_components.resource_options import retained_options

DESCRIPTIONS: dict[Role, str] = {
    "head": "Head node",
    "login": "Login nodes",
    "compute": "Compute nodes",
    "storage": "File systems",
}
"""Group descriptions. They must never change, because a change makes EC2 replace the groups."""

SSH_ROLES: tuple[Role, ...] = ("head", "login")


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecurityGroupsArgs:
    """Arguments of `SecurityGroups`."""

    vpc_id: pulumi.Input[str]
    """Id of the VPC."""
    vpc_cidr: str
    """Address range of the VPC."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges that may connect over SSH to nodes with a role in `ssh_to`."""
    ssh_to: tuple[Role, ...] = ()
    """Node roles to which the ranges in `ssh_from` may connect: `head`, `login` or both."""
    efa_storage: bool = False
    """Whether a Lustre file system uses EFA. If so, all traffic between file systems and compute nodes is allowed."""
    retain: bool = False
    """Whether the file systems' security group, and its rules for traffic between file systems, stay in the cloud
    when they are removed from the program. Set this if file systems are retained."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError if an address range is malformed, or if `ssh_to` contains a role other than `head` and
        `login`.
        """
        check_cidr("SecurityGroupsArgs.vpc_cidr", self.vpc_cidr)
        check_ssh("SecurityGroupsArgs", self.ssh_from, self.ssh_to)


def check_cidr(path: str, cidr: str) -> IPv4Network:
    """Return the parsed address range. Raise a ValueError that names `path` if `cidr` is malformed."""
    try:
        return IPv4Network(cidr)
    except ValueError as error:
        raise ValueError(
            f"{path}: {cidr!r} is not an address range ({error}); write, for example, 10.20.0.0/16"
        ) from None


def check_ssh(path: str, ssh_from: tuple[str, ...], ssh_to: tuple[Role, ...]) -> None:
    """Raise ValueError if a range in `ssh_from` is malformed or a role in `ssh_to` is not supported. Error messages
    begin with `path`.
    """
    for index, cidr in enumerate(ssh_from):
        check_cidr(f"{path}.ssh_from[{index}]", cidr)
    for index, role in enumerate(ssh_to):
        if role not in SSH_ROLES:
            raise ValueError(
                f"{path}.ssh_to[{index}]: {role!r} can't be reached over SSH; use {' or '.join(SSH_ROLES)}"
            )


class SecurityGroups(Component[SecurityGroupsArgs]):
    """One security group per role. Each rule is a separate resource, so that groups can refer to one another."""

    ids: SecurityGroupIds
    """Ids of the security groups for each role, to pass to other components."""

    def _make(self, name: str, args: SecurityGroupsArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"sshFrom": list(args.ssh_from), "sshTo": list(args.ssh_to), "efaStorage": args.efa_storage}
        self._register("hpc:aws:SecurityGroups", name, summary, opts)
        child = pulumi.ResourceOptions(parent=self)
        kept = retained_options(self, retain=args.retain)
        groups = {
            role: aws.ec2.SecurityGroup(
                f"{name}-{role}",
                description=DESCRIPTIONS[role],
                vpc_id=args.vpc_id,
                tags=args.tags.for_resource(f"{name}-{role}"),
                opts=kept if role == "storage" else child,
            )
            for role in ROLES
        }
        rules = security_rules(
            vpc_cidr=args.vpc_cidr, ssh_from=args.ssh_from, ssh_to=args.ssh_to, efa_storage=args.efa_storage
        )
        for rule in rules:
            # keep these rules with the group: without them, a Lustre file system's servers can't reach one another
            among_storage = rule.group == rule.peer == "storage"
            _make_rule(f"{name}-{rule.key}", rule, groups, args.tags, kept if among_storage else child)
        self.ids = SecurityGroupIds(
            head=(groups["head"].id,),
            login=(groups["login"].id,),
            compute=(groups["compute"].id,),
            storage=(groups["storage"].id,),
        )
        self.register_outputs({role: group.id for role, group in groups.items()})


def _make_rule(
    name: str, rule: Rule, groups: "dict[Role, aws.ec2.SecurityGroup]", tags: Tags, opts: pulumi.ResourceOptions
) -> None:
    kind = aws.vpc.SecurityGroupIngressRule if rule.direction == "ingress" else aws.vpc.SecurityGroupEgressRule
    peer_group = next((groups[role] for role in ROLES if role == rule.peer), None)
    kind(
        name,
        security_group_id=groups[rule.group].id,
        ip_protocol="-1" if rule.port.first is None else rule.port.protocol,
        from_port=rule.port.first,
        to_port=rule.port.last,
        referenced_security_group_id=peer_group.id if peer_group else None,
        cidr_ipv4=None if peer_group else rule.peer,
        tags=tags.for_resource(name),
        opts=opts,
    )
