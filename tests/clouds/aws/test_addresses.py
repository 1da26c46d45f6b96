from ipaddress import IPv4Network
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.aws.cloud import CLOUD
from hpc_components.aws.network.addresses import plan_subnets
from hpc_components.spec.addresses import fixed_block, head_node_address, usable_addresses

ranges = st.builds(
    lambda length, bits: IPv4Network((bits << (32 - length), length)), st.integers(16, 20), st.integers(0, 2**16 - 1)
)
zones = st.lists(st.integers(1, 7).map("use2-az{}".format), unique=True, max_size=7)


@given(ranges, zones)
def test_subnets_lie_in_the_range_and_apart(cidr: IPv4Network, zones: list[str]) -> None:
    plan = plan_subnets(cidr, zones)
    assert list(plan) == zones
    subnets = [subnet for zone in plan.values() for subnet in (zone.private, zone.public)]
    assert all(subnet.subnet_of(cidr) for subnet in subnets)
    assert not any(one.overlaps(other) for one, other in combinations(subnets, 2))
    assert all(16 <= subnet.prefixlen <= 28 for subnet in subnets), "sizes that AWS allows"


@given(ranges, zones, zones)
def test_a_zones_subnets_depend_on_no_other_zone(cidr: IPv4Network, some: list[str], others: list[str]) -> None:
    one, other = plan_subnets(cidr, some), plan_subnets(cidr, others)
    assert all(one[zone] == other[zone] for zone in one.keys() & other.keys())


@given(ranges, zones)
def test_fixed_addresses_are_never_given_to_elastic_nodes(cidr: IPv4Network, zones: list[str]) -> None:
    for zone in plan_subnets(cidr, zones).values():
        for subnet in (zone.private, zone.public):
            block = fixed_block(subnet)
            assert block.subnet_of(subnet)
            assert head_node_address(subnet) in block
            assert not any(subnet[index] in block for index in (0, 1, 2, 3, -1)), "AWS keeps these"
            assert usable_addresses("aws", subnet) == subnet.num_addresses - sum(CLOUD.kept_addresses) - 16


def test_a_plan_stays_what_it_is_for_ever() -> None:
    plan = plan_subnets(IPv4Network("10.20.0.0/16"), ["use2-az2", "use2-az3", "use2-az1"])
    assert {zone: (str(each.private), str(each.public)) for zone, each in plan.items()} == {
        "use2-az2": ("10.20.64.0/19", "10.20.8.0/22"),
        "use2-az3": ("10.20.96.0/19", "10.20.12.0/22"),
        "use2-az1": ("10.20.32.0/19", "10.20.4.0/22"),
    }
    head = plan["use2-az2"].private
    assert str(head_node_address(head)) == "10.20.64.20"
    assert str(fixed_block(head)) == "10.20.64.16/28"
    assert usable_addresses("aws", head) == 8171


@pytest.mark.parametrize(
    ("cidr", "zone", "words"),
    [
        ("10.0.0.0/15", "use2-az1", "10.0.0.0/15 can't be divided into subnets: it must be a /16 to /20"),
        ("10.0.0.0/21", "use2-az1", "it must be a /16 to /20"),
        ("10.0.0.0/16", "us-east-2a", "'us-east-2a' is not a zone id such as use2-az2; it must end in -az1"),
        ("10.0.0.0/16", "use2-az8", "-az1 to -az7"),
        ("10.0.0.0/16", "use2-az12", "-az1 to -az7"),
    ],
)
def test_what_cannot_be_planned_is_refused(cidr: str, zone: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        plan_subnets(IPv4Network(cidr), [zone])
