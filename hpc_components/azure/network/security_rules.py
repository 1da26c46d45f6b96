"""A cluster's inbound security rules, as plain data. Outbound traffic follows Azure's default rules.

The rules cover the cluster's Slurm, MPI, NFS and DNS traffic, Managed Lustre (ports 988 and 1019-1023, in both
directions, because servers also connect to clients) and NFS servers. Security groups don't affect InfiniBand. Azure's
default rules allow all traffic from the virtual network and its peers, so the last rule of each group denies
everything else. Sources: Azure Managed Lustre documentation, "Configure a network security group"; Azure NetApp Files
documentation, "Mount NFS volumes", ports; Azure Files documentation, "NFS file shares"; slurm.conf (SlurmctldPort,
SlurmdPort).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from hpc_components.azure.network.addresses import Place

Guarded = Literal["head", "login", "nodes", "lustre", "netapp", "endpoints"]
"""Subnets that have a security group. Bastion's subnet has none, because Bastion fails if its group lacks a required
rule."""

GUARDED: tuple[Guarded, ...] = get_args(Guarded)
NODES: tuple[Guarded, ...] = ("head", "login", "nodes")


@dataclass(frozen=True)
class Ports:
    """Port ranges of a protocol. An empty `ranges` means all ports."""

    ranges: tuple[str, ...] = ()
    protocol: Literal["Tcp", "Udp", "*"] = "*"


ALL = Ports()
ANY_TCP = Ports(protocol="Tcp")
SSH = Ports(("22",), "Tcp")
SLURMCTLD = Ports(("6817-6829",), "Tcp")
SLURMD = Ports(("6818",), "Tcp")
DNS = Ports(("53",))
NFS = Ports(("2049",), "Tcp")
LUSTRE = Ports(("988", "1019-1023"), "Tcp")
NETAPP = Ports(("111", "635", "2049", "4045-4046", "4049"))
ENDPOINTS = Ports(("443", "2049"), "Tcp")

BALANCER = "AzureLoadBalancer"
MONITOR = "AzureMonitor"


@dataclass(frozen=True, kw_only=True)
class Rule:
    name: str
    """Name of the rule, unique within its group, such as `ssh-from-login`."""
    sources: tuple[str, ...]
    """Address ranges, or a single service tag. `*` means any source."""
    ports: Ports
    allow: bool = True


DENY_REST = Rule(name="deny-the-rest", sources=("*",), ports=ALL, allow=False)


def security_rules(
    place: Guarded, *, ranges: Mapping[Place, str], ssh_from: Iterable[str], ssh_to: Collection[Guarded]
) -> tuple[Rule, ...]:
    """Return the security group rules for `place`, in order of priority.

    `ranges` contains the address ranges of the existing subnets. Rules for traffic from other subnets are left out.
    Hosts in `ssh_from` may connect to `ssh_to` over SSH. Login nodes also accept SSH from the whole network.
    """
    world = _World(ranges)
    rules = list(_MAKERS[place](world))
    if place in NODES:
        rules += _to_any_node(world)
    if place in ssh_to:
        rules.append(Rule(name="ssh-from-users", sources=tuple(dict.fromkeys(ssh_from)), ports=SSH))
    return (*(rule for rule in rules if rule.sources), DENY_REST)


@dataclass(frozen=True)
class _World:
    ranges: Mapping[Place, str]

    def rule(self, name: str, ports: Ports, *places: Place) -> Rule:
        """Return a rule for traffic from those `places` that have a subnet."""
        there = dict.fromkeys(self.ranges[place] for place in places if place in self.ranges)
        return Rule(name=name, sources=tuple(there), ports=ports)


def _head(world: _World) -> Iterator[Rule]:
    yield world.rule("all-from-nodes", ALL, "nodes")
    yield world.rule("slurm-from-login", SLURMCTLD, "login")
    yield world.rule("nfs-from-login", NFS, "login")
    yield world.rule("dns-from-login", DNS, "login")


def _login(world: _World) -> Iterator[Rule]:
    yield world.rule("all-from-cluster", ALL, "head", "nodes")
    yield Rule(name="ssh-from-network", sources=("VirtualNetwork",), ports=SSH)
    # the load balancer's health probes come from this service tag
    yield Rule(name="ssh-from-balancer", sources=(BALANCER,), ports=SSH)


def _nodes(world: _World) -> Iterator[Rule]:
    yield world.rule("all-from-cluster", ALL, "head", "nodes")
    # srun on a login node talks to slurmd; users may log in to the nodes of their jobs
    yield world.rule("slurm-from-login", SLURMD, "login")
    yield world.rule("ssh-from-login", SSH, "login")


def _to_any_node(world: _World) -> Iterator[Rule]:
    yield world.rule("ssh-from-bastion", SSH, "bastion")
    yield world.rule("lustre-from-servers", LUSTRE, "lustre")
    # an NFS 3 server reports released locks to the client on a port that the client chose
    yield world.rule("locks-from-netapp", ALL, "netapp")


def _lustre(world: _World) -> Iterator[Rule]:
    yield world.rule("all-from-servers", ALL, "lustre")
    yield world.rule("lustre-from-nodes", LUSTRE, *NODES)
    yield Rule(name="all-from-monitor", sources=(MONITOR,), ports=ANY_TCP)


def _netapp(world: _World) -> Iterator[Rule]:
    yield world.rule("nfs-from-nodes", NETAPP, *NODES)


def _endpoints(world: _World) -> Iterator[Rule]:
    yield world.rule("services-from-cluster", ENDPOINTS, *NODES, "lustre")


_MAKERS: Mapping[Guarded, Callable[[_World], Iterator[Rule]]] = {
    "head": _head,
    "login": _login,
    "nodes": _nodes,
    "lustre": _lustre,
    "netapp": _netapp,
    "endpoints": _endpoints,
}
