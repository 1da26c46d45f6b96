"""A cluster's security group rules, as plain data.

The rules allow Slurm, MPI, NFS and DNS traffic, FSx for Lustre (988 and 1018-1023 in both directions, because servers
also connect to clients), FSx for OpenZFS (NFS on 2049; version 3 also on 111 and 20001-20003), and EFA. For EFA, a
rule that refers to the group itself must allow all traffic within the group, because EFA ignores address ranges.
Sources: EC2 user guide, "Get started with EFA and MPI"; FSx for Lustre user guide, "Limiting access with Amazon VPC";
FSx for OpenZFS user guide, "File system access control with Amazon VPC"; slurm.conf (SlurmctldPort, SlurmdPort).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

Role = Literal["head", "login", "compute", "storage"]

ROLES: tuple[Role, ...] = ("head", "login", "compute", "storage")
NODES: tuple[Role, ...] = ("head", "login", "compute")


@dataclass(frozen=True)
class Port:
    """A port range, or all ports of all protocols if both ends are None."""

    first: int | None
    last: int | None
    protocol: Literal["tcp", "udp"] = "tcp"

    def __str__(self) -> str:
        if self.first is None:
            return "all"
        ports = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        return ports if self.protocol == "tcp" else f"{ports}-{self.protocol}"


ALL = Port(None, None)
SSH = Port(22, 22)
SLURMCTLD = Port(6817, 6829)
SLURMD = Port(6818, 6818)
NFS = Port(2049, 2049)
DNS = (Port(53, 53, "udp"), Port(53, 53))
LUSTRE = (Port(988, 988), Port(1018, 1023))
OPENZFS = (Port(111, 111), NFS, Port(20001, 20003))


@dataclass(frozen=True)
class Rule:
    group: Role
    """The role whose group contains the rule."""
    direction: Literal["ingress", "egress"]
    peer: str
    """The role or address range at the other end."""
    port: Port

    @property
    def key(self) -> str:
        """Unique name of the rule, such as `head-from-login-2049`."""
        way = "from" if self.direction == "ingress" else "to"
        return f"{self.group}-{way}-{self.peer.replace('/', '-')}-{self.port}"


def security_rules(
    *, vpc_cidr: str, ssh_from: Iterable[str], ssh_to: Iterable[Role], efa_storage: bool
) -> tuple[Rule, ...]:
    """Return all rules of a cluster's four groups, without duplicates.

    Address ranges in `ssh_from` may connect over SSH to the roles in `ssh_to`. Login nodes also accept SSH from the
    VPC, because the load balancer's health checks come from there.
    """
    rules = [*_nodes(), *_ssh(vpc_cidr, tuple(ssh_from), tuple(ssh_to)), *_storage(), *_efa("compute", "compute")]
    if efa_storage:
        rules += [*_efa("storage", "storage"), *_efa("storage", "compute"), *_efa("compute", "storage")]
    return tuple(dict.fromkeys(rules))


def _nodes() -> Iterator[Rule]:
    yield Rule("head", "ingress", "compute", ALL)
    yield Rule("head", "ingress", "login", SLURMCTLD)
    yield Rule("head", "ingress", "login", NFS)
    for port in DNS:  # login nodes look up node names, and resolvers retry over TCP if a response is too long for UDP
        yield Rule("head", "ingress", "login", port)
    yield Rule("compute", "ingress", "head", ALL)
    # srun on a login node connects to slurmd, and users may log in to nodes that run their jobs
    yield Rule("compute", "ingress", "login", SLURMD)
    yield Rule("compute", "ingress", "login", SSH)
    yield Rule("login", "ingress", "head", ALL)
    yield Rule("login", "ingress", "compute", ALL)
    for role in NODES:
        yield Rule(role, "egress", "0.0.0.0/0", ALL)


def _ssh(vpc_cidr: str, ssh_from: tuple[str, ...], ssh_to: tuple[Role, ...]) -> Iterator[Rule]:
    yield Rule("login", "ingress", vpc_cidr, SSH)
    for role, cidr in product(ssh_to, ssh_from):
        yield Rule(role, "ingress", cidr, SSH)


def _storage() -> Iterator[Rule]:
    for port in LUSTRE:
        for peer in (*NODES, "storage"):
            yield Rule("storage", "ingress", peer, port)
            yield Rule("storage", "egress", peer, port)
        for role in NODES:
            yield Rule(role, "ingress", "storage", port)
    for role, port in product(NODES, OPENZFS):
        yield Rule("storage", "ingress", role, port)


def _efa(group: Role, peer: Role) -> Iterator[Rule]:
    yield Rule(group, "ingress", peer, ALL)
    yield Rule(group, "egress", peer, ALL)
