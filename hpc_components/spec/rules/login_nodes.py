from collections.abc import Iterator

from hpc_components.spec.address_ranges import is_public
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.nodes import HeadNode, LoginNodes
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, words_of
from hpc_components.spec.values import Size
from hpc_components.wording import any_of

MAX_SESSIONS = 100
"""Highest plausible number of sessions per user. A higher limit is probably a mistake."""

MIN_MEMORY_PER_USER, MIN_PROCESSES_PER_USER = Size.parse("512MiB"), 64

MIN_VCPUS, MIN_MEMORY_GIB = 2, 4
"""Minimum machine size for a handful of users who run editors and compilers. The figures are our own estimate."""


@rule("HPC-LOG-001", Level.ERROR)
def login_count(cluster: ClusterSpec) -> Iterator[Problem]:
    """There must be at least one login node, and `min` must not exceed `max`.

    For a cluster without login nodes, leave `login_nodes` out. Source: Amazon EC2 Auto Scaling API,
    CreateAutoScalingGroup.
    """
    login = cluster.login_nodes
    if login is None:
        return
    if login.min < 1:
        field, value, reason, remedy = "min", login.min, "users could not log in", "use 1, or remove login_nodes"
    elif login.min > login.max:
        field = "min" if login.given("min") else "max"
        value, reason = getattr(login, field), f"min ({login.min}) is greater than max ({login.max})"
        remedy = f"use max: {login.min}" if field == "min" else f"use {login.min} or more"
    else:
        return
    yield Problem(path=("login_nodes", field), value=value, reason=reason, remedy=remedy)


@rule("HPC-LOG-002", Level.ERROR)
def login_sessions(cluster: ClusterSpec) -> Iterator[Problem]:
    """Users must be allowed at least one session.

    A limit above 100 is reported as a warning. Source: pam_limits(8), maxlogins.
    """
    most = cluster.login_nodes.max_sessions_per_user if cluster.login_nodes else None
    if most is not None and not 1 <= most <= MAX_SESSIONS:
        yield Problem(
            path=("login_nodes", "max_sessions_per_user"),
            value=most,
            reason="users could not log in"
            if most < 1
            else f"a limit of {most} sessions per user is too high to be useful",
            remedy=f"use 1 to {MAX_SESSIONS}, or remove max_sessions_per_user for no limit",
            level=None if most < 1 else Level.WARNING,
        )


@rule("HPC-LOG-003", Level.ERROR)
def login_reachable(cluster: ClusterSpec) -> Iterator[Problem]:
    """If the load balancer is public, `ssh_from` must contain a public range.

    The load balancer admits only clients from the network's own range and from the ranges in `ssh_from`. Without a
    public range, no client can reach the load balancer's public address, which is billed by the hour. The load
    balancer's host name resolves only to that address, even for VPN users. Source: Network Load Balancer user guide,
    "Update the security groups".
    """
    allowed = cluster.network.ssh_from
    if cluster.login_nodes and cluster.login_nodes.public and not any(map(is_public, allowed)):
        private = any_of(map(str, allowed))
        yield Problem(
            path=("login_nodes", "public"),
            value=True,
            reason=f"network.ssh_from admits only private addresses ({private}), which don't exist on the internet"
            if allowed
            else "network.ssh_from is empty: no client can reach the load balancer",
            remedy="remove public: true and use your VPN or peering, or add your site's public range to ssh_from"
            if allowed
            else "add network.ssh_from: [your site's addresses], or remove public: true",
        )


@rule("HPC-LOG-004", Level.WARNING)
def login_machine(cluster: ClusterSpec) -> Iterator[Problem]:
    """Login nodes should have at least two vCPUs and 4 GiB of memory.

    Users compile programs on login nodes.
    """
    machine = facts(cluster, cluster.login_nodes.machine) if cluster.login_nodes else None
    if machine and (machine.vcpus < MIN_VCPUS or machine.memory_gib < MIN_MEMORY_GIB):
        yield Problem(
            path=("login_nodes", "machine"),
            value=machine.name,
            reason=f"{machine.name} has only {machine.vcpus} vCPUs and {machine.memory_gib:g} GiB for all users",
            remedy=f"use a larger machine type such as {words_of(cluster).machines.login}",
        )


@rule("HPC-LOG-005", Level.INFO)
def login_spread(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each zone in `login_nodes.zones` should have at least one login node.

    Otherwise, the failure of a single zone can take down all login nodes. Source: Amazon EC2 Auto Scaling user guide.
    """
    login = cluster.login_nodes
    if login and login.min < len(login.zones):
        yield Problem(
            path=("login_nodes", "zones"),
            value=", ".join(login.zones),
            reason=f"initially, there are login nodes in only {login.min} of {len(login.zones)} zones",
            remedy=f"use min: {len(login.zones)} to survive the failure of a zone",
        )


@rule("HPC-LOG-008", Level.ERROR)
def login_share(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each user must be allowed enough CPUs, memory and processes to log in and work in a shell.

    The minimum of 1 CPU, 512 MiB and 64 processes is our own estimate. Source: systemd.resource-control(5).
    """
    key, nodes = _where_users_log_in(cluster)
    for field, minimum in (("cpus", 1), ("memory", MIN_MEMORY_PER_USER), ("processes", MIN_PROCESSES_PER_USER)):
        value = getattr(nodes.per_user, field)
        if value is not None and value < minimum:
            yield Problem(
                path=(key, "per_user", field),
                value=value,
                reason="users could not log in or start programs",
                remedy=f"use {minimum} or more, or remove {field} for the default",
            )


@rule("HPC-LOG-009", Level.WARNING)
def login_share_of_machine(cluster: ClusterSpec) -> Iterator[Problem]:
    """The share of each user should be smaller than the machine.

    Otherwise, one user can slow the node down for all others, or use up its memory.
    """
    key, nodes = _where_users_log_in(cluster)
    machine = facts(cluster, nodes.machine)
    if machine is None:
        return
    gib = nodes.per_user.memory.in_gib if nodes.per_user.memory else 0
    for field, share, most, unit in (
        ("cpus", nodes.per_user.cpus or 0, machine.vcpus, "vCPUs"),
        ("memory", gib, machine.memory_gib, "GiB of memory"),
    ):
        if share > most:
            yield Problem(
                path=(key, "per_user", field),
                value=getattr(nodes.per_user, field),
                reason=f"{machine.name} has {most:g} {unit}, so one user can use all of it",
                remedy=f"remove {field} for half of the machine, or use a larger machine type",
            )


@rule("HPC-LOG-010", Level.WARNING)
def head_share_without_users(cluster: ClusterSpec) -> Iterator[Problem]:
    """`head_node.per_user` should be set only if users log in to the head node.

    In a cluster with login nodes they log in to those, and the head node has no limits per user.
    """
    if cluster.login_nodes and cluster.head_node.given("per_user"):
        yield Problem(
            path=("head_node", "per_user"),
            value=None,
            reason="users log in to the login nodes, so it has no effect",
            remedy="move it to login_nodes.per_user",
        )


def _where_users_log_in(cluster: ClusterSpec) -> tuple[str, HeadNode | LoginNodes]:
    return ("login_nodes", cluster.login_nodes) if cluster.login_nodes else ("head_node", cluster.head_node)
