"""The address plan of a virtual network: every subnet is large enough, and none changes later."""

from dataclasses import asdict
from ipaddress import IPv4Network
from itertools import combinations

import pytest

from hpc_components.azure.network.addresses import plan_subnets, sharing_a_place

OF_A_SIXTEEN = {
    "head": "10.0.0.0/20",
    "login": "10.0.16.0/20",
    "netapp": "10.0.32.0/20",
    "endpoints": "10.0.48.0/21",
    "bastion": "10.0.56.0/21",
    "lustre": "10.0.64.0/18",
    "nodes": "10.0.128.0/17",
}
"""Ranges of clusters that were created before smaller ranges were supported."""

MAX_PREFIX_LENGTH = {"head": 27, "login": 28, "netapp": 28, "endpoints": 28, "bastion": 26, "lustre": 26, "nodes": 25}


@pytest.mark.parametrize("prefix", range(16, 25))
def test_every_place_has_room(prefix: int) -> None:
    cidr = IPv4Network(f"10.0.0.0/{prefix}")
    plan = asdict(plan_subnets(cidr))
    assert {place: own for place, own in plan.items() if own.prefixlen > MAX_PREFIX_LENGTH[place]} == {}
    assert all(own.subnet_of(cidr) for own in plan.values())
    shared = sharing_a_place(cidr, plan)
    assert set(shared) == ({"lustre", "netapp", "bastion"} if prefix == 24 else set())
    apart = [own for place, own in plan.items() if place not in shared[1:]]
    assert not [pair for pair in combinations(apart, 2) if pair[0].overlaps(pair[1])]


def test_plans_of_large_ranges_are_those_of_clusters_that_run() -> None:
    assert {
        place: str(own) for place, own in asdict(plan_subnets(IPv4Network("10.0.0.0/16"))).items()
    } == OF_A_SIXTEEN
    least = asdict(plan_subnets(IPv4Network("10.0.0.0/20")))
    assert {place: own.prefixlen for place, own in least.items()} == {
        place: IPv4Network(own).prefixlen + 4 for place, own in OF_A_SIXTEEN.items()
    }


@pytest.mark.parametrize("prefix", [15, 25])
def test_other_ranges_are_refused(prefix: int) -> None:
    with pytest.raises(ValueError, match="must be a /16 to /24"):
        plan_subnets(IPv4Network(f"10.0.0.0/{prefix}", strict=False))
