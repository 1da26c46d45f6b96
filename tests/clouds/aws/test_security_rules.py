from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.aws.security_groups.security_rules import ALL, ROLES, Port, Role, Rule, security_rules

cidrs = st.builds(
    lambda number, prefix: str(IPv4Network((number, prefix), strict=False)),
    st.integers(0, 2**32 - 1),
    st.integers(0, 32),
)
worlds = st.fixed_dictionaries(
    {
        "vpc_cidr": cidrs,
        "ssh_from": st.lists(cidrs, max_size=4),
        "ssh_to": st.lists(st.sampled_from(["head", "login"]), max_size=2),
        "efa_storage": st.booleans(),
    }
)
PLAIN = security_rules(vpc_cidr="10.20.0.0/16", ssh_from=(), ssh_to=(), efa_storage=False)


def allows(rules: tuple[Rule, ...], source: str, target: str, port: int, protocol: str = "tcp") -> bool:
    """Return whether the groups of both roles allow traffic from one role's node to a port of the other's."""

    def covers(rule: Rule) -> bool:
        first, last = rule.port.first, rule.port.last
        return first is None or last is None or (first <= port <= last and rule.port.protocol == protocol)

    out = any(
        rule.group == source and rule.direction == "egress" and rule.peer in (target, "0.0.0.0/0") and covers(rule)
        for rule in rules
    )
    into = any(
        rule.group == target and rule.direction == "ingress" and rule.peer == source and covers(rule)
        for rule in rules
    )
    return out and into


@given(worlds)
def test_every_rule_has_a_name_of_its_own_and_is_there_once(world):
    rules = security_rules(**world)
    assert len({rule.key for rule in rules}) == len(rules) == len(set(rules))


@given(worlds)
def test_only_ranges_that_were_written_down_reach_ssh(world):
    written = {*world["ssh_from"], world["vpc_cidr"]}
    inward = [rule for rule in security_rules(**world) if rule.direction == "ingress" and rule.peer not in ROLES]
    assert all(rule.peer in written and rule.port == Port(22, 22) for rule in inward)
    assert {rule.group for rule in inward} <= {"login", *world["ssh_to"]}


@given(worlds)
def test_groups_stay_below_the_limit_of_sixty_rules(world):
    # Source: Amazon VPC user guide, "Amazon VPC quotas" (60 inbound, 60 outbound rules per group).
    rules = security_rules(**world)
    for role in ROLES:
        for direction in ("ingress", "egress"):
            assert len([rule for rule in rules if (rule.group, rule.direction) == (role, direction)]) <= 60


@pytest.mark.parametrize("efa_storage", [False, True])
def test_efa_is_allowed_from_and_to_the_group_itself(efa_storage):
    rules = security_rules(vpc_cidr="10.20.0.0/16", ssh_from=(), ssh_to=(), efa_storage=efa_storage)
    pairs: set[tuple[Role, Role]] = {("compute", "compute")}
    if efa_storage:
        pairs |= {("storage", "storage"), ("storage", "compute"), ("compute", "storage")}
    for group, peer in pairs:
        assert Rule(group, "ingress", peer, ALL) in rules
        assert Rule(group, "egress", peer, ALL) in rules
    assert (Rule("storage", "ingress", "compute", ALL) in rules) is efa_storage


@pytest.mark.parametrize(
    ("source", "target", "port"),
    [
        *[(role, "storage", port) for role in ("head", "login", "compute") for port in (988, 1018, 1023, 2049, 111)],
        *[("storage", role, port) for role in ("head", "login", "compute", "storage") for port in (988, 1021)],
        ("login", "head", 6817),  # sbatch
        ("login", "head", 6819),  # sacct
        ("login", "head", 2049),
        ("login", "compute", 6818),  # srun
        ("login", "compute", 22),
        ("compute", "login", 45000),  # replies to srun
        ("compute", "head", 6817),
        ("head", "compute", 6818),
        ("compute", "compute", 40000),  # MPI
    ],
)
def test_what_a_cluster_needs_gets_through(source, target, port):
    assert allows(PLAIN, source, target, port)


@pytest.mark.parametrize("source", ["login", "compute"])
@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_nodes_ask_the_head_node_for_names(source, protocol):
    assert allows(PLAIN, source, "head", 53, protocol)


def test_a_port_is_one_of_its_protocol():
    assert not allows(PLAIN, "login", "head", 6817, "udp")


@pytest.mark.parametrize(
    ("source", "target", "port"),
    [("login", "head", 22), ("login", "compute", 40000), ("storage", "compute", 22), ("login", "storage", 22)],
)
def test_what_it_does_not_need_is_refused(source, target, port):
    assert not allows(PLAIN, source, target, port)
