import re
from collections.abc import Iterator

from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule

_BELOW: Path = ("network", "existing", "security_groups")


def _groups(cluster: AwsClusterSpec) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each role that needs existing security groups, with the groups listed for that role."""
    existing = cluster.network.existing
    groups = existing.security_groups if existing else None
    if groups is None:
        return
    yield "head", groups.head
    if cluster.login_nodes or groups.login:
        yield "login", groups.login
    yield "compute", groups.compute
    if cluster.storage or groups.storage:
        yield "storage", groups.storage


@rule("HPC-SEC-001", Level.ERROR)
def groups_of_all_roles(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Specify existing security groups for every role in the cluster, or for none.

    New and existing groups can't be mixed, because their rules don't refer to each other.
    """
    for role, groups in _groups(cluster):
        if not groups:
            yield Problem(
                path=_BELOW,
                reason=f"security_groups lists no group for role {role}",
                remedy=f"add {role}: [sg-...], or remove security_groups to let the cluster create its own groups",
            )


@rule("HPC-SEC-002", Level.ERROR)
def group_ids(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Security group ids must be well-formed, and each role must list an id only once.

    A launch template accepts any text as an id. EC2 checks the id only when it launches a node, so no node would
    start. Source: EC2 user guide, "Create a launch template": parameters are not fully validated.
    """
    for role, groups in _groups(cluster):
        for index, id in enumerate(groups):
            if not re.fullmatch(r"sg-([0-9a-f]{8}|[0-9a-f]{17})", id):
                reason, remedy = f"{id!r} is not the id of a security group", "write it like sg-0123456789abcdef0"
            elif id in groups[:index]:
                reason, remedy = f"{id} is listed more than once for role {role}", "remove it"
            else:
                continue
            yield Problem(path=(*_BELOW, role, index), value=id, reason=reason, remedy=remedy)


@rule("HPC-SEC-003", Level.WARNING)
def groups_per_interface(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A role must not have more security groups than a network interface supports.

    Source: Amazon VPC user guide, "Amazon VPC quotas".
    """
    allowed = service_quota("security_groups_per_interface")
    for role, groups in _groups(cluster):
        if allowed.default is not None and len(groups) > allowed.default:
            yield Problem(
                path=(*_BELOW, role),
                value=len(groups),
                reason=f"role {role} has {len(groups)} security groups, but a network interface supports only "
                f"{allowed.default}",
                remedy=f"merge some of the groups, or request a higher quota ({allowed.code}; at most 16)",
            )


@rule("HPC-SEC-004", Level.INFO)
def door_without_key(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A public node reachable over SSH should have a key pair, unless `people` has a directory or a user with a key.

    Passwords are not accepted. Without a key, Session Manager is the only way in until users' keys are added.
    """
    if not cluster.network.ssh_from or cluster.directory or any(user.keys for user in cluster.users.values()):
        return
    nodes = [("head_node", cluster.head_node), ("login_nodes", cluster.login_nodes)]
    for name, node in nodes:
        if node and node.public and node.key_pair is None:
            yield Problem(
                path=(name,),
                reason=f"{name} is reachable over SSH, but no key is authorized at first",
                remedy="add people with their keys, set key_pair to the name of an ed25519 key pair, or add keys to "
                "authorized_keys in a Session Manager shell",
            )


@rule("HPC-EFA-004", Level.WARNING)
def efa_groups(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """With EFA, existing security groups must allow all traffic between compute nodes, in both directions.

    A description doesn't show what existing groups allow. Without the outbound rule, MPI hangs on its first message.
    Source: EC2 user guide, "Prepare an EFA-enabled security group".
    """
    existing = cluster.network.existing
    named = existing.security_groups.compute if existing and existing.security_groups else ()
    if named and any(fabric_on(queue) for queue in cluster.queues):
        groups = ", ".join(named)
        yield Problem(
            path=("network", "existing", "security_groups", "compute"),
            value=groups,
            reason=f"nodes use EFA, but the description doesn't show what traffic {groups} allows",
            remedy="make sure that one of these groups allows all traffic from and to itself, or remove "
            "security_groups",
        )
