"""Purchase options, placement and additional network cards of machines."""

from ipaddress import IPv4Network
from typing import Any

import pytest
from catalog.present import held
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog import all_machines, machines
from hpc_components.catalog.refusal import Why
from hpc_components.gcp.network.vpc_limits import NetworkOrder, mtus, network_refusals, reserved_ranges, source_ranges
from hpc_components.gcp.network_cards.card_kinds import card_count, card_kinds, network_profile, profile_zones
from hpc_components.gcp.placement.policy_limits import (
    PlacementOrder,
    has_compact,
    most_in_policy,
    placement_doubts,
    placement_refusals,
)
from hpc_components.gcp.purchase.options import (
    PurchaseOrder,
    max_run_seconds,
    purchase_doubts,
    purchase_refusals,
    purchases,
)


def bought(name: str, **order: Any) -> list[tuple[str, Why, str | None]]:
    found = purchase_refusals(PurchaseOrder(machine=held("gcp", name), **order))
    return [(one.field, one.why, one.because_of) for one in found]


def placed(name: str, **order: Any) -> list[tuple[str, Why, str | None, tuple]]:
    found = placement_refusals(PlacementOrder(machine=held("gcp", name), **order))
    return [(one.field, one.why, one.because_of, tuple(one.allowed)) for one in found]


@pytest.mark.parametrize(
    ("name", "order", "expected"),
    [
        ("h4d-standard-192", {"purchase": "flex_start", "max_run": 600}, []),
        ("h4d-standard-192", {"purchase": "spot", "zones": 2}, []),
        ("c3-standard-88", {"purchase": "reservation"}, []),
        ("c3-standard-88", {"purchase": "flex_start"}, [("purchase", Why.NOT_SOLD, "machine")]),
        ("g2-standard-4", {"purchase": "flex_start"}, []),
        ("h3-standard-88", {"purchase": "spot"}, []),  # sources disagree
        ("a3-edgegpu-8g", {"purchase": "flex_start"}, [("purchase", Why.NOT_SOLD, "machine")]),
        ("a3-ultragpu-8g", {"purchase": "on_demand"}, []),  # unsure
        ("h4d-standard-192", {"purchase": "flex_start", "zones": 2}, [("zones", Why.NOT_TAKEN, "purchase")]),
        ("c3-standard-88", {"purchase": "reservation", "zones": 2}, [("zones", Why.NOT_TAKEN, "purchase")]),
        ("h4d-standard-192", {"purchase": "flex_start", "max_run": 599}, [("max_run", Why.NOT_SOLD, None)]),
        ("h4d-standard-192", {"purchase": "flex_start", "max_run": 604_801}, [("max_run", Why.NOT_SOLD, None)]),
        ("c3-standard-88", {"max_run": 3600}, [("max_run", Why.NOT_TAKEN, "purchase")]),
        (
            "c3-standard-88",
            {"purchase": "spot", "host_maintenance": "MIGRATE"},
            [("host_maintenance", Why.NOT_TAKEN, "purchase")],
        ),
    ],
)
def test_a_purchase_is_judged_as_google_sells_it(name, order, expected):
    assert bought(name, **order) == expected


def test_a_machine_type_has_its_ways_of_purchase():
    assert purchases(held("gcp", "h4d-standard-192")) == ("on_demand", "spot", "flex_start", "reservation")
    assert purchases(held("gcp", "a4-highgpu-8g")) == ("spot", "flex_start", "reservation")
    assert purchase_doubts(held("gcp", "a4-highgpu-8g")) == ("on_demand",)
    assert purchase_doubts(held("gcp", "h4d-standard-192")) == ()
    assert (max_run_seconds()[0], max_run_seconds()[-1]) == (600, 604_800)


def test_both_files_agree_on_spot():
    for each in all_machines("gcp"):
        assert ("spot" in purchases(each)) == each.spot, each.name


@given(st.sampled_from(machines("gcp")), st.sampled_from(["on_demand", "spot", "flex_start", "reservation"]))
def test_what_is_not_sold_names_what_is(machine, purchase):
    for one in purchase_refusals(PurchaseOrder(machine=machine, purchase=purchase)):
        assert one.field == "purchase"
        assert purchase not in one.allowed
        assert one.allowed


@pytest.mark.parametrize(
    ("name", "order", "expected"),
    [
        ("h3-standard-88", {"max_distance": 1}, []),
        ("h4d-standard-192", {"purchase": "flex_start"}, []),
        ("c3-standard-88", {"placement": "spread", "domains": 8}, []),
        ("e2-standard-4", {}, [("placement", Why.NOT_SOLD, "machine", ("none",))]),
        ("e2-standard-4", {"placement": "none"}, []),
        ("t2d-standard-60", {}, [("placement", Why.NOT_SOLD, "machine", ("none",))]),
        ("a3-highgpu-8g", {"max_distance": 1}, [("max_distance", Why.NOT_SOLD, "machine", (2, 3))]),
        ("a3-ultragpu-8g", {"max_distance": 1}, [("max_distance", Why.NOT_SOLD, "machine", (2, 3))]),
        ("h3-standard-88", {"max_distance": 4}, [("max_distance", Why.NOT_SOLD, None, (1, 2, 3))]),
        (
            "h3-standard-88",
            {"placement": "none", "max_distance": 2},
            [("max_distance", Why.NOT_TAKEN, "placement", ())],
        ),
        ("g2-standard-96", {"purchase": "flex_start"}, [("placement", Why.NOT_TAKEN, "purchase", ("none",))]),
        ("h3-standard-88", {"zones": 2}, [("zones", Why.NOT_TAKEN, "placement", (1,))]),
        (
            "h3-standard-88",
            {"host_maintenance": "MIGRATE"},
            [("host_maintenance", Why.NOT_TAKEN, "placement", ("TERMINATE",))],
        ),
        ("c3-standard-88", {"domains": 2}, [("domains", Why.NOT_TAKEN, "placement", ())]),
        (
            "c3-standard-88",
            {"placement": "spread", "domains": 9},
            [("domains", Why.NOT_SOLD, None, tuple(range(1, 9)))],
        ),
    ],
)
def test_a_placement_is_judged_as_google_places_machines(name, order, expected):
    assert placed(name, **order) == expected


@pytest.mark.parametrize(
    ("name", "by_distance"),
    [
        ("h3-standard-88", {1: 22, 2: 150, 3: 1500, None: 1500}),
        ("h4d-standard-192", {1: 22, 2: 150, 3: 1500, None: 1500}),
        ("a3-megagpu-8g", {2: 256, 3: 1500, None: 1500}),
        ("e2-standard-4", {1: 0, 2: 0, 3: 0, None: 0}),
    ],
)
def test_a_policy_takes_so_many_machines(name, by_distance):
    assert {distance: most_in_policy(held("gcp", name), distance) for distance in by_distance} == by_distance


def test_a_distance_unknown_to_a_series_is_an_error():
    with pytest.raises(ValueError, match="doesn't support compact placement at distance 1"):
        most_in_policy(held("gcp", "a3-highgpu-8g"), 1)


@given(st.sampled_from(machines("gcp")), st.sampled_from([None, 1, 2, 3]))
def test_what_is_not_refused_has_a_policy(machine, distance):
    refused = [*placement_refusals(PlacementOrder(machine=machine, max_distance=distance))]
    if not refused:
        assert most_in_policy(machine, distance) >= 22
    assert machine.cluster_placement == (has_compact(machine) is True)


def test_doubts_of_a_placement_are_told():
    assert "compact" in placement_doubts(held("gcp", "c4a-standard-72"))
    assert placement_doubts(held("gcp", "h3-standard-88")) == ()


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("h3-standard-88", []),
        ("h4d-standard-192", [("IRDMA", 1, 1, "vpc-falcon")]),
        ("h4d-highmem-192-lssd", [("IRDMA", 1, 1, "vpc-falcon")]),
        ("a3-highgpu-8g", [("GVNIC", 4, 4, None)]),
        ("a3-highgpu-4g", []),
        ("a3-megagpu-8g", [("GVNIC", 8, 8, None)]),
        ("a3-ultragpu-8g", [("GVNIC", 1, 1, None), ("MRDMA", 8, 1, "vpc-roce")]),
        ("a4-highgpu-8g", [("GVNIC", 1, 1, None), ("MRDMA", 8, 1, "vpc-roce")]),
    ],
)
def test_a_machine_has_its_network_cards(name, kinds):
    found = card_kinds(held("gcp", name))
    assert [(kind.nic_type, kind.count, kind.networks, kind.profile) for kind in found] == kinds
    assert [network_profile(kind, "us-central1-a") for kind in found] == [
        f"us-central1-a-{profile}" if profile else None for *_, profile in kinds
    ]


def test_a_machine_has_as_many_cards_as_its_record_says():
    for each in all_machines("gcp"):
        assert each.network_cards == 1 + card_count(each), each.name
        assert bool(card_kinds(each)) == each.has_fabric, each.name


def test_zones_with_a_profile_sell_what_needs_it():
    falcon, roce = profile_zones("vpc-falcon"), profile_zones("vpc-roce")
    assert {"us-central1-a", "us-central1-b", "europe-west4-b"} <= {*falcon}
    assert "us-central1-b" in roce
    assert list(falcon) == sorted(falcon)
    assert profile_zones("vpc-nothing") == ()


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"cidr": IPv4Network("10.20.0.0/16"), "mtu": 8896}, []),
        ({"cidr": IPv4Network("10.0.0.0/30")}, [("cidr", Why.NOT_SOLD, None)]),
        ({"cidr": IPv4Network("169.254.0.0/16")}, [("cidr", Why.NOT_TAKEN, None)]),
        ({"mtu": 1299}, [("mtu", Why.NOT_SOLD, None)]),
        ({"mtu": 9000}, [("mtu", Why.NOT_SOLD, None)]),
        ({"profile": "us-central1-a-vpc-falcon", "zone": "us-central1-a", "mtu": 8896}, []),
        ({"profile": "us-central1-a-vpc-falcon", "mtu": 1460}, [("mtu", Why.NOT_SOLD, "profile")]),
        (
            {"profile": "us-central1-a-vpc-falcon", "zone": "us-central1-b", "nat": True, "firewall_rules": 1},
            [
                ("profile", Why.NOT_TAKEN, "zone"),
                ("nat", Why.NOT_TAKEN, "profile"),
                ("firewall_rules", Why.NOT_TAKEN, "profile"),
            ],
        ),
    ],
)
def test_a_network_order_is_judged_as_google_sells_it(order, expected):
    found = network_refusals(NetworkOrder(**order))
    assert [(one.field, one.why, one.because_of) for one in found] == expected


def test_ranges_of_googles_own_are_known():
    assert source_ranges("iap") == ("35.235.240.0/20",)
    assert set(source_ranges("health_checks")) == {"35.191.0.0/16", "130.211.0.0/22"}
    assert IPv4Network("169.254.0.0/16") in reserved_ranges()
    assert (mtus()[0], mtus()[-1], list(mtus(profile=True))) == (1300, 8896, [8896])
