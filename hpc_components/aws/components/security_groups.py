"""The four security groups of a cluster, in a VPC of ours or of yours."""

from dataclasses import dataclass, field
from ipaddress import IPv4Network

import pulumi
import pulumi_aws as aws

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.components.security_rules import ROLES, Role, Rule, security_rules
from hpc_components.aws.ports import SecurityGroupIds
from hpc_components.aws.tags import Tags
from hpc_components.component import Component
from hpc_components.resource_options import retained_options

DESCRIPTIONS: dict[Role, str] = {
    "head": "Head node",
    "login": "Login nodes",
    "compute": "Compute nodes",
    "storage": "File systems",
}
"""Fixed for ever: EC2 replaces a group whose description changes."""

SSH_ROLES: tuple[Role, ...] = ("head", "login")


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecurityGroupsArgs:
    """Arguments of `SecurityGroups`."""

    vpc_id: pulumi.Input[str]
    """Id of the VPC."""
    vpc_cidr: str
    """Its address range."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges that may reach the nodes of `ssh_to` by SSH. Nobody, if empty."""
    ssh_to: tuple[Role, ...] = ()
    """Which of `head` and `login` they may reach."""
    efa_storage: bool = False
    """Whether a Lustre file system is reached over EFA, for which all traffic with compute nodes must be allowed."""
    retain: bool = False
    """Leave the group of the file systems, and what they say to one another, in the cloud when it leaves the program:
    for those that are retained."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what is no address range, and roles that nobody logs in to."""
        check_cidr("SecurityGroupsArgs.vpc_cidr", self.vpc_cidr)
        check_ssh("SecurityGroupsArgs", self.ssh_from, self.ssh_to)


def check_cidr(path: str, cidr: str) -> IPv4Network:
    """The range written as `cidr`; ValueError names `path` when it is none."""
    try:
        return IPv4Network(cidr)
    except ValueError as error:
        raise ValueError(f"{path}: {cidr!r} is no address range ({error}); write one like 10.20.0.0/16") from None


def check_ssh(path: str, ssh_from: tuple[str, ...], ssh_to: tuple[Role, ...]) -> None:
    """ValueError where the two fields of these names below `path` are not right."""
    for index, cidr in enumerate(ssh_from):
        check_cidr(f"{path}.ssh_from[{index}]", cidr)
    for index, role in enumerate(ssh_to):
        if role not in SSH_ROLES:
            raise ValueError(f"{path}.ssh_to[{index}]: {role!r} can't be opened; use {' or '.join(SSH_ROLES)}")


class SecurityGroups(Component[SecurityGroupsArgs]):
    """One group for each role. Each rule is a resource of its own, so that groups can refer to one another."""

    ids: SecurityGroupIds
    """The groups by role, as components take them."""

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
            # without these the servers of a Lustre file system can't reach one another
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
