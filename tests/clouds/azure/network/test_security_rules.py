from ipaddress import IPv4Address, IPv4Network
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.network.addresses import Place, plan_subnets
from hpc_components.azure.network.security_rules import GUARDED, NODES, Guarded, Rule, security_rules

PLAN = plan_subnets(IPv4Network("10.20.0.0/16"))
RANGES = {place: str(getattr(PLAN, place)) for place in get_args(Place)}
USERS = "203.0.113.0/24"

cidrs = st.builds(
    lambda number, prefix: str(IPv4Network((number, prefix), strict=False)),
    st.integers(0, 2**32 - 1),
    st.integers(0, 32),
)
worlds = st.fixed_dictionaries(
    {
        "ranges": st.dictionaries(st.sampled_from(get_args(Place)), cidrs),
        "ssh_from": st.lists(cidrs, max_size=4),
        "ssh_to": st.lists(st.sampled_from(["head", "login"]), max_size=2),
    }
)


def rules(place: Guarded, **change) -> tuple[Rule, ...]:
    return security_rules(place, **{"ranges": RANGES, "ssh_from": (), "ssh_to": (), **change})


def lets_in(found: tuple[Rule, ...], source: str, port: int, protocol: str = "Tcp") -> bool:
    """Return whether traffic from an address or a service tag is allowed."""
    for rule in found:
        if _fits(rule, source) and rule.ports.protocol in ("*", protocol) and _among(port, rule.ports.ranges):
            return rule.allow
    return False


def _fits(rule: Rule, source: str) -> bool:
    for each in rule.sources:
        if each in ("*", source):
            return True
        if each[0].isdigit() and source[0].isdigit() and IPv4Address(source) in IPv4Network(each):
            return True
    return False


def _among(port: int, ranges: tuple[str, ...]) -> bool:
    bounds = [(int(first), int(last or first)) for first, _, last in (each.partition("-") for each in ranges)]
    return not bounds or any(first <= port <= last for first, last in bounds)


def at(place: Place) -> str:
    """Return an address in the subnet of `place`."""
    return str(getattr(PLAN, place)[20])


@given(worlds, st.sampled_from(GUARDED))
def test_names_are_unique_and_the_last_rule_refuses_the_rest(world, place):
    found = security_rules(place, **world)
    assert len({rule.name for rule in found}) == len(found)
    assert [(rule.sources, rule.ports.ranges) for rule in found if not rule.allow] == [(("*",), ())]
    assert not found[-1].allow


@given(worlds, st.sampled_from(GUARDED))
def test_only_ranges_that_were_written_down_get_in(world, place):
    named = {*world["ranges"].values(), "VirtualNetwork", "AzureLoadBalancer", "AzureMonitor"}
    for rule in security_rules(place, **world):
        if rule.name == "ssh-from-users":
            assert {*rule.sources} == {*world["ssh_from"]}
            assert place in world["ssh_to"]
            assert rule.ports.ranges == ("22",)
        elif rule.allow:
            assert {*rule.sources} <= named
            assert rule.sources, "a rule of nobody is none"


@pytest.mark.parametrize("place", GUARDED)
@pytest.mark.parametrize("port", [22, 443, 988, 2049, 6817, 45000])
def test_nothing_comes_from_the_internet_unasked(place, port):
    assert not lets_in(rules(place, ssh_from=(USERS,), ssh_to=("head",)), "198.51.100.9", port)
    assert not lets_in(rules(place), "203.0.113.7", port)


def test_users_reach_by_ssh_what_is_public_and_nothing_else():
    for place in GUARDED:
        found = rules(place, ssh_from=(USERS,), ssh_to=("head",))
        assert lets_in(found, "203.0.113.7", 22) is (place == "head")
        assert not lets_in(found, "203.0.113.7", 6817)


@pytest.mark.parametrize(
    ("source", "target", "port", "protocol"),
    [
        ("login", "head", 6817, "Tcp"),  # sbatch
        ("login", "head", 6819, "Tcp"),  # sacct
        ("login", "head", 2049, "Tcp"),
        ("login", "head", 53, "Udp"),
        ("nodes", "head", 53, "Udp"),
        ("nodes", "head", 6817, "Tcp"),
        ("login", "nodes", 6818, "Tcp"),  # srun
        ("login", "nodes", 22, "Tcp"),
        ("nodes", "login", 45000, "Tcp"),  # srun's answers
        ("head", "nodes", 6818, "Tcp"),
        ("nodes", "nodes", 40000, "Tcp"),  # MPI
        *[(place, "lustre", port, "Tcp") for place in NODES for port in (988, 1019, 1023)],
        *[("lustre", place, port, "Tcp") for place in NODES for port in (988, 1021)],
        ("lustre", "lustre", 22, "Tcp"),  # Azure's setup of the servers
        *[(place, "netapp", port, "Tcp") for place in NODES for port in (111, 635, 2049, 4045, 4046)],
        ("nodes", "netapp", 111, "Udp"),
        ("netapp", "nodes", 39000, "Tcp"),  # callback for a free lock
        *[(place, "endpoints", port, "Tcp") for place in NODES for port in (443, 2049)],
        ("lustre", "endpoints", 443, "Tcp"),  # imports and exports
        *[("bastion", place, 22, "Tcp") for place in NODES],
    ],
)
def test_what_a_cluster_needs_gets_through(source, target, port, protocol):
    assert lets_in(rules(target), at(source), port, protocol)


@pytest.mark.parametrize(
    ("source", "target", "port"),
    [
        ("login", "head", 22),
        ("login", "nodes", 40000),
        ("lustre", "nodes", 22),
        ("login", "lustre", 22),
        ("endpoints", "nodes", 22),
        ("bastion", "nodes", 6818),
        ("bastion", "lustre", 22),
        ("nodes", "endpoints", 22),
    ],
)
def test_what_it_does_not_need_is_refused(source, target, port):
    assert not lets_in(rules(target), at(source), port)


def test_a_port_is_one_of_its_protocol():
    assert not lets_in(rules("head"), at("login"), 6817, "Udp")


def test_azure_itself_asks_whether_nodes_and_servers_are_well():
    assert lets_in(rules("login"), "AzureLoadBalancer", 22)
    assert lets_in(rules("lustre"), "AzureMonitor", 443)
    assert not lets_in(rules("nodes"), "AzureLoadBalancer", 22)
    assert lets_in(rules("login"), "VirtualNetwork", 22)
    assert not lets_in(rules("head"), "VirtualNetwork", 22)


def test_there_are_no_rules_for_subnets_that_are_not_there():
    few = {place: RANGES[place] for place in ("head", "nodes")}
    names = {rule.name for rule in rules("nodes", ranges=few)}
    assert names == {"all-from-cluster", "deny-the-rest"}


def test_one_subnet_for_several_is_named_once():
    one = dict.fromkeys(("head", "login", "nodes"), "10.0.0.0/20")
    assert rules("login", ranges=one)[0].sources == ("10.0.0.0/20",)
