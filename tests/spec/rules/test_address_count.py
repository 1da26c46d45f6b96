from ipaddress import IPv4Network
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.aws.network.addresses import plan_subnets
from hpc_components.spec.addresses import usable_addresses
from hpc_components.spec.billed_services import AddressNeed
from hpc_components.spec.rules.address_count import address_needs, shortages, smallest_prefix
from tests.spec.rules.judged import cluster, existing, paths, problems, queue

ZONES = ("az1", "az2", "az3")


def place(wanted: list[AddressNeed], room: dict[str, int]) -> bool:
    """Whether all find an address, by trying every way to split every need over its zones."""
    ways = []
    for need in wanted:
        zones = sorted(need.places)
        splits = product(range(need.addresses + 1), repeat=len(zones))
        ways.append([dict(zip(zones, split, strict=True)) for split in splits if sum(split) == need.addresses])
    return any(
        all(sum(way.get(zone, 0) for way in chosen) <= room[zone] for zone in room) for chosen in product(*ways)
    )


@given(
    st.lists(
        st.builds(
            AddressNeed, st.just("queue q"), st.frozensets(st.sampled_from(ZONES), min_size=1), st.integers(0, 4)
        ),
        max_size=3,
    ),
    st.fixed_dictionaries({zone: st.integers(0, 5) for zone in ZONES}),
)
def test_shortage_is_found_if_and_only_if_there_is_no_way_to_place_all(wanted, room):
    assert any(shortages(wanted, room)) == (not place(wanted, room))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3))
def test_shown_shortages_are_true_and_smallest(needs):
    wanted = [AddressNeed("queue q", frozenset({zone}), need) for zone, need in zip(ZONES, needs, strict=False)]
    room = dict.fromkeys(ZONES, 4)
    found = list(shortages(wanted, room))
    assert all(shortage.needed > shortage.room for shortage in found)
    assert sum(len(shortage.places) == 1 for shortage in found) == sum(need > 4 for need in needs)


@given(st.integers(1, 60_000))
def test_smallest_prefix_fits_and_the_next_does_not(addresses):
    prefix = smallest_prefix("aws", addresses)
    assert usable_addresses("aws", IPv4Network(f"10.0.0.0/{prefix}")) >= addresses
    if prefix < 27:
        assert usable_addresses("aws", IPv4Network(f"10.0.0.0/{prefix + 1}")) < addresses


@pytest.mark.parametrize("prefix", [20, 19, 18, 17, 16])
def test_as_many_nodes_as_the_plan_has_addresses(prefix):
    cidr = IPv4Network(f"10.20.0.0/{prefix}")
    room = usable_addresses("aws", plan_subnets(cidr, ["use2-az2"])["use2-az2"].private)
    assert not paths("HPC-NET-007", network={"cidr": str(cidr)}, queues=[queue(max=room)])
    (problem,) = problems("HPC-NET-007", network={"cidr": str(cidr)}, queues=[queue(max=room + 1)])
    assert problem.remedy.startswith(f"use at least a /{prefix - 1}, e.g. 10.20.0.0/{prefix - 1}") == (prefix > 16)


def test_the_suggested_range_is_right():
    (problem,) = problems("HPC-NET-007", network={"cidr": "10.20.48.0/20"}, queues=[queue(max=3000)])
    cidr = problem.remedy.rpartition(", e.g. ")[2]
    assert cidr == "10.20.0.0/17"
    assert not paths("HPC-NET-007", network={"cidr": cidr}, queues=[queue(max=3000)])


def test_cards_with_one_interface_need_two_addresses():
    fits = queue(machine="hpc6id.32xlarge", max=245)
    assert not paths("HPC-NET-007", network={"cidr": "10.20.0.0/20"}, queues=[fits])
    assert paths("HPC-NET-007", network={"cidr": "10.20.0.0/20"}, queues=[fits | {"max": 246}]) == ["network.cidr"]
    assert not paths("HPC-NET-007", network={"cidr": "10.20.0.0/20"}, queues=[fits | {"max": 246, "fabric": False}])


def test_a_node_with_32_cards_needs_one_address():
    (need,) = address_needs(cluster(queues=[queue(machine="p5.48xlarge", max=3)]))
    assert need.addresses == 3


def test_storage_login_nodes_and_endpoints_are_counted():
    full = cluster(
        network={"cidr": "10.20.0.0/16", "endpoints": ["s3", "ssm", "logs"]},
        login_nodes={"machine": "m6i.large", "min": 1, "max": 3},
        storage={"home": {"type": "efs", "mount": "/home"}},
        queues=[queue(zones=["use2-az2", "use2-az3"])],
    )
    by_name = {}
    for need in address_needs(full):
        by_name[need.what] = by_name.get(need.what, 0) + need.addresses
    assert by_name == {
        "queue cpu 4": 4, "login nodes 3": 3, "login balancer 1": 1, "storage home 1": 2, "endpoints 2": 4,
    }  # fmt: skip


def test_nodes_of_two_zones_use_both():
    both = queue(max=600, zones=["use2-az1", "use2-az2"])
    assert not paths("HPC-NET-007", network={"cidr": "10.20.0.0/20"}, queues=[both])
    one = queue(name="more", max=400)
    (problem,) = problems("HPC-NET-007", network={"cidr": "10.20.0.0/20"}, queues=[both, one])
    assert "the private subnets of use2-az2, use2-az1 have 982 addresses" in problem.reason


def test_existing_subnet_is_counted_without_the_fixed_block():
    assert not paths("HPC-NET-007", network=_with("10.0.0.0/24"), queues=[queue(max=235)])
    (problem,) = problems("HPC-NET-007", network=_with("10.0.0.0/24"), queues=[queue(max=236)])
    assert problem.path == ("network", "existing", "private", "use2-az2", "cidr")
    assert "at least a /23" in problem.remedy


@pytest.mark.parametrize("subnet", ["10.0.0.0/28", "10.0.0.0/30"])
def test_too_small_a_subnet_is_left_to_its_own_rule(subnet):
    assert not paths("HPC-NET-007", network=_with(subnet), queues=[queue(max=500)])
    assert paths("HPC-NET-012", network=_with(subnet)) == ["network.existing.private.use2-az2.cidr"]


def test_wrong_zones_and_ranges_are_left_to_their_own_rules():
    assert not paths("HPC-NET-007", zone="nowhere", queues=[queue(max=60_000)])
    assert not paths("HPC-NET-007", network={"cidr": "10.0.0.0/24"}, queues=[queue(max=60_000)])


def _with(cidr: str) -> dict:
    return existing(private={"use2-az2": {"id": "subnet-0123456789abcdef0", "cidr": cidr}})


def test_existing_network_without_a_subnet_is_left_to_its_own_rule():
    crowd = queue(max=60_000, zones=["use2-az2", "use2-az3"])
    assert not paths("HPC-NET-007", network=existing(), queues=[crowd])
    assert paths("HPC-NET-008", network=existing(), queues=[crowd])


def test_only_the_smallest_shortage_is_shown():
    wanted = [AddressNeed("queue q", frozenset({"az1"}), 9), AddressNeed("queue r", frozenset({"az2"}), 1)]
    assert [shortage.places for shortage in shortages(wanted, {"az1": 4, "az2": 4})] == [("az1",)]
    apart = [AddressNeed("queue q", frozenset({"az1"}), 9), AddressNeed("queue r", frozenset({"az2"}), 9)]
    assert [shortage.places for shortage in shortages(apart, {"az1": 4, "az2": 4})] == [("az1",), ("az2",)]


def test_login_nodes_are_counted_in_their_zones():
    login = {"machine": "m6i.large", "max": 500}
    (problem,) = problems("HPC-NET-007", network={"cidr": "10.20.0.0/20"}, login_nodes=login)
    assert "login nodes 500" in problem.reason
    spread = login | {"zones": ["use2-az1", "use2-az3"]}
    assert not paths("HPC-NET-007", network={"cidr": "10.20.0.0/20"}, login_nodes=spread)


def test_the_remedy_names_the_queue_to_lower():
    subnet = _with("10.0.0.0/26")
    (problem,) = problems("HPC-NET-007", network=subnet, queues=[queue(max=99)])
    assert "lower max of cpu so that 56 fewer addresses are needed" in problem.remedy
    login = {"machine": "m6i.large", "max": 99}
    (problem,) = problems("HPC-NET-007", network=subnet, queues=[], login_nodes=login)
    assert "lower max of login_nodes so that 57 fewer addresses are needed" in problem.remedy


def test_file_systems_of_ours_are_counted_and_others_are_not():
    there = {"id": "fs-0123456789abcdef0", "dns_name": "fs.example.org", "mount_name": "abc"}
    storage = {
        "new": {"type": "lustre", "mount": "/a", "size": "1200GiB"},
        "home": {"type": "nfs", "mount": "/home", "size": "1TiB"},
        "old": {"type": "lustre", "mount": "/b", "existing": there},
        "nas": {"type": "nfs", "mount": "/c", "existing": {"server": "nas.example.org", "export": "/c"}},
    }
    assert [need.what for need in address_needs(cluster(storage=storage))][1:] == ["storage new 1", "storage home 1"]


def test_nothing_is_made_in_an_existing_network():
    found = address_needs(cluster(network=existing() | {"endpoints": ["ssm", "logs"]}))
    assert [need.what for need in found] == ["queue cpu 4"]


def test_fallback_without_efa_has_an_address():
    fallback = queue(machine="t3.xlarge", fallback=["q9.huge"], fabric=True, max=7)
    assert [need.addresses for need in address_needs(cluster(queues=[fallback]))] == [7]


def test_several_addresses_per_node_are_explained():
    (need,) = address_needs(cluster(queues=[queue(machine="hpc6id.32xlarge", max=5)]))
    assert need.what == "queue cpu 10 (5 nodes with 2 each)"
