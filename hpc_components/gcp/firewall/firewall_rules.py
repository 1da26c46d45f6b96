"""A cluster's ingress firewall rules, as plain data. There are no egress rules, because Google allows egress by
default.

The rules cover Slurm, MPI, NFS and DNS traffic within the cluster, SSH connections from users, and connections from
file servers. RDMA networks can't have firewall rules. Sources: slurm.conf (SlurmctldPort, SlurmdPort); IAP
documentation, "Using IAP for TCP forwarding"; Cloud Load Balancing documentation, "Health checks overview", probe IP
ranges; Managed Lustre documentation, "Create a VPC network"; Filestore documentation, "Configuring firewall rules".
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from hpc_components.gcp.network.addresses import Place
from hpc_components.gcp.network.vpc_limits import source_ranges

EVERY: tuple[Place, ...] = ("head", "login", "nodes")


@dataclass(frozen=True)
class Allowed:
    """A protocol and its port ranges. Without ranges, all ports are allowed."""

    protocol: Literal["all", "tcp", "udp"]
    ports: tuple[str, ...] = ()


ALL = (Allowed("all"),)
SSH = (Allowed("tcp", ("22",)),)
TO_HEAD = (Allowed("tcp", ("53", "2049", "6817-6829")), Allowed("udp", ("53",)))
"""Ports for DNS, NFS, slurmctld and slurmdbd."""
TO_NODES = (Allowed("tcp", ("22", "6818")),)
"""Ports for SSH, so that users can log in to the nodes that run their jobs, and for slurmd, so that srun works on
login nodes."""
FROM_SERVICES = (Allowed("tcp"), Allowed("udp"))


@dataclass(frozen=True, kw_only=True)
class Rule:
    name: str
    to: tuple[Place, ...]
    sources: tuple[Place, ...] = ()
    ranges: tuple[str, ...] = ()
    allows: tuple[Allowed, ...]
    why: str
    """Description shown in Google Cloud's list of rules."""


def firewall_rules(
    *, network: str, services: str | None, ssh_from: Collection[str], ssh_to: Collection[Place], iap: bool
) -> Iterator[Rule]:
    """Yield a cluster's rules. Any address in the range `network` may connect to login nodes by SSH."""
    yield Rule(
        name="cluster-to-nodes",
        to=("nodes",),
        sources=("head", "nodes"),
        allows=ALL,
        why="Compute nodes and the head node reach compute nodes",
    )
    yield Rule(name="nodes-to-head", to=("head",), sources=("nodes",), allows=ALL, why="Compute nodes reach Slurm")
    yield Rule(
        name="cluster-to-login",
        to=("login",),
        sources=("head", "nodes"),
        allows=ALL,
        why="Steps of jobs answer srun on login nodes",
    )
    yield Rule(name="login-to-head", to=("head",), sources=("login",), allows=TO_HEAD, why="Login nodes reach Slurm")
    yield Rule(
        name="login-to-nodes", to=("nodes",), sources=("login",), allows=TO_NODES, why="srun and users reach nodes"
    )
    yield Rule(name="ssh-in-network", to=("login",), ranges=(network,), allows=SSH, why="Users in the network log in")
    yield Rule(
        name="health-checks",
        to=("login",),
        ranges=_probes(),
        allows=SSH,
        why="The load balancer checks health",
    )
    if iap:
        yield Rule(
            name="ssh-from-iap",
            to=EVERY,
            ranges=tuple(source_ranges("iap")),
            allows=SSH,
            why="Administrators log in through IAP",
        )
    if services is not None:
        yield Rule(
            name="from-services",
            to=EVERY,
            ranges=(services,),
            allows=FROM_SERVICES,
            why="File servers connect to their clients",
        )
    if ssh_from and ssh_to:
        yield Rule(
            name="ssh-from-users",
            to=tuple(ssh_to),
            ranges=tuple(dict.fromkeys(ssh_from)),
            allows=SSH,
            why="Users log in",
        )


def _probes() -> tuple[str, ...]:
    inside, outside = source_ranges("health_checks"), source_ranges("network_balancer_health_checks")
    return tuple(dict.fromkeys((*inside, *outside)))
