from collections.abc import Mapping
from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.sample import PROJECT, REGION, TAGS, ZONE
from hpc_components.gcp.network.component import Vpc, VpcArgs
from hpc_components.gcp.network_cards.card_networks import NetworkCards
from hpc_components.preview.record import UNKNOWN, RecordedResource, Recording, record

ARGS: dict[str, Any] = {"project": PROJECT, "region": REGION, "cidr": "10.20.0.0/16", "tags": TAGS}
FALCON = (NetworkCards(nic_type="IRDMA", profile="vpc-falcon"),)
ULTRA = (NetworkCards(nic_type="GVNIC"), NetworkCards(nic_type="MRDMA", count=8, profile="vpc-roce"))
HIGH = (NetworkCards(nic_type="GVNIC", count=4),)
NETWORK, SUBNET = "gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork"


def make_vpc(**change: Any) -> None:
    vpc = Vpc("cfd", VpcArgs(**{**ARGS, **change}))
    pulumi.export("subnets", dict(vpc.network.subnets))
    pulumi.export("ranges", {f"cfd-{place}": cidr for place, cidr in vpc.network.ranges.items()})
    pulumi.export("services", [vpc.network.services_range, vpc.services_range])
    for (queue, zone), cards in vpc.network.cards.items():
        pulumi.export(f"{queue} {zone}", [[card.nic_type, card.network, card.subnet] for card in cards])


@pytest.fixture(scope="module")
def plain() -> Recording:
    return checked_preview(lambda: make_vpc(nat="none"))


@pytest.fixture(scope="module")
def full() -> Recording:
    cards = {("gpu", ZONE): ULTRA, ("rdma", ZONE): FALCON, ("more", ZONE): FALCON, ("rdma", f"{REGION}-b"): FALCON}
    return checked_preview(lambda: make_vpc(services=True, retain=True, cards=cards))


def source_of(recording: Recording, resource: RecordedResource, key: str) -> list[str]:
    return [recording.of(urn).name for urn in resource.property_dependencies.get(key, ())]


def ranges(recording: Recording, network: str) -> Mapping[str, str]:
    """Return the ranges of a network's subnets, by name."""
    return {
        each.name: each.inputs["ipCidrRange"]
        for each in recording.all(SUBNET)
        if source_of(recording, each, "network") == [network]
    }


def test_each_subnet_has_its_range_and_name(full):
    assert ranges(full, "cfd") == {
        "cfd-head": "10.20.0.0/20",
        "cfd-login": "10.20.16.0/20",
        "cfd-nodes": "10.20.128.0/17",
    }
    for place in ("head", "login", "nodes"):
        subnet = full.one(SUBNET, f"cfd-{place}").inputs
        assert (subnet["name"], subnet["region"], subnet["privateIpGoogleAccess"]) == (f"cfd-{place}", REGION, True)
    network = full.one(NETWORK, "cfd").inputs
    assert (network["name"], network["mtu"], network["routingMode"]) == ("cfd", 8896, "REGIONAL")
    assert network["autoCreateSubnetworks"] is False
    assert {*full.outputs["subnets"]} == {"head", "login", "nodes"}
    assert full.outputs["ranges"] == ranges(full, "cfd")


def test_what_is_added_later_moves_nothing(plain, full):
    assert {**ranges(full, "cfd")} == {**ranges(plain, "cfd")}
    added = {("gpu", f"{REGION}-b"): ULTRA, ("rdma", ZONE): FALCON}
    one, two = (record(lambda cards=cards: make_vpc(cards=cards)) for cards in ({("rdma", ZONE): FALCON}, added))
    before, after = ({each.urn: each.inputs for each in found.all(SUBNET)} for found in (one, two))
    assert before.items() <= after.items()


def test_nodes_leave_by_a_nat_that_grows(full, plain):
    nat = full.one("RouterNat").inputs
    assert nat["sourceSubnetworkIpRangesToNat"] == "ALL_SUBNETWORKS_ALL_IP_RANGES"
    assert nat["natIpAllocateOption"] == "AUTO_ONLY"
    assert nat["enableDynamicPortAllocation"] is True
    for ports in (nat["minPortsPerVm"], nat["maxPortsPerVm"]):
        assert ports & (ports - 1) == 0, "Google takes powers of two"
    assert source_of(full, full.one("RouterNat"), "router") == ["cfd-router"]
    assert source_of(full, full.one("gcp:compute/router:Router"), "network") == ["cfd"]
    assert not plain.all("RouterNat")
    assert not plain.all("gcp:compute/router:Router")


def test_one_connection_serves_all_services_and_does_not_keep_the_network(full, plain):
    address, connection = full.one("GlobalAddress"), full.one("Connection")
    assert (address.inputs["address"], address.inputs["prefixLength"]) == ("10.20.64.0", 18)
    assert (address.inputs["purpose"], address.inputs["addressType"]) == ("VPC_PEERING", "INTERNAL")
    assert connection.inputs["service"] == "servicenetworking.googleapis.com"
    assert connection.inputs["deletionPolicy"] == "REMOVE_PEERING", (
        "ABANDON leaves a peering, which blocks the network"
    )
    assert source_of(full, connection, "reservedPeeringRanges") == ["cfd-services"]
    assert full.outputs["services"] == [UNKNOWN, "10.20.64.0/18"]
    assert not plain.all("Connection")
    assert not plain.all("GlobalAddress")


def test_an_rdma_network_has_its_zones_profile_and_nothing_else_in_it(full):
    networks = {each.name: each.inputs for each in full.all(NETWORK) if each.name != "cfd"}
    assert {name: each.get("networkProfile", "").rpartition("/")[2] for name, each in networks.items()} == {
        "cfd-a-card-1": "",
        "cfd-a-falcon": f"{ZONE}-vpc-falcon",
        "cfd-b-falcon": f"{REGION}-b-vpc-falcon",
        "cfd-a-roce": f"{ZONE}-vpc-roce",
    }
    for name, each in networks.items():
        assert (each["mtu"], each["routingMode"], each["autoCreateSubnetworks"]) == (8896, "REGIONAL", False)
        attached = {
            resource.type.rpartition(":")[2]
            for resource in full.resources
            if source_of(full, resource, "network") == [name]
        }
        assert attached == ({"Subnetwork"} if "networkProfile" in each else {"Subnetwork", "Firewall"})


def test_queues_of_a_zone_share_the_networks_of_their_cards(full):
    assert ranges(full, "cfd-a-falcon") == {"cfd-a-falcon-subnet-1": "10.20.32.0/23"}
    outputs = record(lambda: make_vpc(cards={("rdma", ZONE): FALCON, ("more", ZONE): FALCON}), preview=False).outputs
    assert outputs[f"rdma {ZONE}"] == outputs[f"more {ZONE}"]


def test_eight_rdma_cards_have_eight_subnets_of_one_network(full):
    roce = ranges(full, "cfd-a-roce")
    assert list(roce) == [f"cfd-a-roce-subnet-{number}" for number in range(2, 10)]
    assert len({*roce.values()}) == 8
    outputs = record(lambda: make_vpc(cards={("gpu", ZONE): ULTRA}), preview=False).outputs[f"gpu {ZONE}"]
    assert [kind for kind, _, _ in outputs] == ["GVNIC", *["MRDMA"] * 8]
    assert len({network for _, network, _ in outputs}) == 2
    assert len({subnet for _, _, subnet in outputs}) == 9


def test_other_cards_have_a_network_each_that_lets_in_their_like():
    recording = checked_preview(lambda: make_vpc(cards={("gpu", ZONE): HIGH}, mtu=1460))
    networks = [each.name for each in recording.all(NETWORK)]
    assert networks == ["cfd", *(f"cfd-a-card-{number}" for number in range(1, 5))]
    for rule in recording.all("Firewall"):
        (network,) = source_of(recording, rule, "network")
        assert rule.inputs["sourceRanges"] == list(ranges(recording, network).values())
        assert rule.inputs["allows"] == [{"protocol": "all"}]
    assert {each.inputs["mtu"] for each in recording.all(NETWORK)} == {1460}
    assert not any("networkProfile" in each.inputs for each in recording.all(NETWORK))


def test_the_ground_under_retained_file_systems_stays(full):
    assert {(each.type.rpartition(":")[2], each.name) for each in full.resources if each.retain} == {
        ("Network", "cfd"),
        ("GlobalAddress", "cfd-services"),
        ("Connection", "cfd-services"),
    }


def test_nothing_stays_without_file_systems():
    assert not [each.name for each in record(lambda: make_vpc(retain=True)).resources if each.retain]
    assert not [each.name for each in record(lambda: make_vpc(services=True)).resources if each.retain]


def test_everything_is_in_the_project_and_labelled_where_it_can_be(full):
    for each in full.resources:
        if each.custom and "Connection" not in each.type:
            assert each.inputs["project"] == PROJECT, each.urn
    assert full.one("GlobalAddress").inputs["labels"] == {
        "clustername": "cfd",
        "name": "cfd-services",
        "project": "wing",
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cidr": "10.20.0.0/24"}, r"cidr: 10.20.0.0/24 can't be divided"),
        ({"cidr": "ten"}, r"cidr: 'ten' is not a valid address range"),
        ({"cidr": "127.0.0.0/16"}, r"cidr: 127.0.0.0/16 overlaps 127.0.0.0/8, which Google reserves"),
        ({"nat": "per_zone"}, r"nat: 'per_zone' is unknown; use one or none"),
        ({"mtu": 9000}, r"mtu: must be 1300 to 8896 bytes, not 9000"),
        ({"mtu": 1299}, r"mtu: must be 1300 to 8896 bytes, not 1299"),
        (
            {"cards": {("rdma", "europe-west4-b"): FALCON}},
            "cards\\['rdma', 'europe-west4-b'\\]: 'europe-west4-b' is not a zone of us-central1; "
            "use a zone such as us-",
        ),
        (
            {"cards": {("gpu", ZONE): (*HIGH, *HIGH, *ULTRA)}},
            r"cards\['gpu', .*: 17 additional cards are too many; .* for only 16",
        ),
    ],
)
def test_wrong_arguments_are_named(change, message):
    with pytest.raises(ValueError, match=rf"^VpcArgs\.{message}"):
        VpcArgs(**{**ARGS, **change})


def test_a_name_that_no_network_can_have():
    with pytest.raises(
        ValueError, match=r"^Vpc name \(also the name of the network\): .* can't contain '_'; .*my-cluster"
    ):
        Vpc("my_cluster", VpcArgs(**ARGS))
