import pytest

from hpc_components.catalog import Machine, machine, machines, price
from hpc_components.spec.findings import Level
from tests.spec.rules.judged import levels, paths, problems, queue

ID = "cr-0123456789abcdef0"
BLOCK, RESERVED = {"purchase": {"capacity_block": ID}}, {"purchase": {"reservation": ID}}
TWO_ZONES = {"zones": ["use2-az2", "use2-az3"]}


@pytest.mark.parametrize("m", machines("aws"), ids=lambda m: m.name)
def test_each_type_is_bought_only_as_it_is_sold(m):
    assert (not paths("HPC-CAP-001", queues=[queue(machine=m.name, purchase="spot")])) is ("spot" in m.usage)
    assert (not paths("HPC-CAP-002", queues=[queue(machine=m.name, **BLOCK)])) is ("capacity_block" in m.usage)


def test_a_fallback_never_sold_as_spot_is_found():
    queues = [queue(machine="c7i.48xlarge", purchase="spot", fallback=["hpc7a.96xlarge"])]
    assert paths("HPC-CAP-001", queues=queues) == ["queues[0].fallback[0]"]


@pytest.mark.parametrize(
    ("number", "changes", "found"),
    [
        (3, BLOCK | {"min": 4}, []),
        (3, BLOCK | {"min": 3}, ["queues[0].min"]),
        (3, RESERVED, []),
        (4, RESERVED, []),
        (4, {"purchase": {"reservation": ID[:-1]}}, ["queues[0].purchase.reservation"]),
        (4, {"purchase": {"reservation": ID.upper()}}, ["queues[0].purchase.reservation"]),
        (4, {"purchase": {"capacity_block": "block"}}, ["queues[0].purchase.capacity_block"]),
        (5, RESERVED, []),
        (5, BLOCK | {"fallback": ["p4d.24xlarge"]}, ["queues[0].fallback"]),
        (5, {"fallback": ["m7i.4xlarge"]}, []),
        (8, RESERVED | TWO_ZONES, ["queues[0].zones"]),
        (8, RESERVED | {"zones": ["use2-az2"]}, []),
        (8, TWO_ZONES, []),
        (9, {"machine": "p5.48xlarge"}, ["queues[0].machine"]),
        (9, {"machine": "p5.48xlarge", "purchase": "on_demand"}, ["queues[0].purchase"]),
        (9, {"machine": "p5.48xlarge", "purchase": "spot"}, []),
        (9, {"machine": "p5.48xlarge"} | RESERVED, []),
        (9, {"machine": "g6.48xlarge"}, []),
        (10, {"max": 1}, []),
        (10, {"max": 0}, ["queues[0].max"]),
        (10, {"max": -1}, ["queues[0].max"]),
        (10, {"max": 2, "min": 2}, []),
        (10, {"max": 2, "min": 3}, ["queues[0].min"]),
        (10, {"max": 2, "min": -1}, ["queues[0].min"]),
        (11, {"max_spot_price": 0.5}, ["queues[0].max_spot_price"]),
        (11, RESERVED | {"max_spot_price": 0.5}, ["queues[0].max_spot_price"]),
        (11, {"purchase": "spot", "max_spot_price": 0.5}, []),
        (12, {"max_spot_price": 0.01}, []),
        (12, {"max_spot_price": -1}, ["queues[0].max_spot_price"]),
        (14, {"purchase": "spot"}, []),
        (14, {"purchase": "spot", "requeue": False}, ["queues[0].requeue"]),
        (14, {"requeue": False}, []),
        (15, {"purchase": "spot", "min": 1}, ["queues[0].min"]),
        (15, {"min": 1}, []),
    ],
)
def test_a_wrong_purchase_is_found(number, changes, found):
    assert paths(f"HPC-CAP-{number:03}", queues=[queue() | changes]) == found


def test_shared_reservation_is_summed_up():
    queues = [queue(name="a", max=5, **RESERVED), queue(name="b", max=7, **RESERVED)]
    (problem,) = problems("HPC-CAP-006", queues=queues)
    assert "12 machines" in problem.reason
    other = {"purchase": {"reservation": "cr-0123456789abcdef1"}}
    assert not paths("HPC-CAP-006", queues=[queues[0], queue(name="b", **other)])


def test_a_reservation_cannot_be_a_capacity_block():
    queues = [queue(name="a", **RESERVED), queue(name="b", **BLOCK)]
    assert paths("HPC-CAP-007", queues=queues) == ["queues[1].purchase.capacity_block"]
    assert not paths("HPC-CAP-006", queues=queues)


def test_spot_price_is_compared_with_the_price_of_the_region():
    known = machine("aws", "c7i.4xlarge")
    assert known is not None
    listed = price(known, "us-east-1", "on_demand")
    assert listed is not None
    there = {"region": "us-east-1", "zone": "use1-az4"}
    assert not paths("HPC-CAP-013", queues=[queue(purchase="spot", max_spot_price=listed.usd)], **there)
    assert paths("HPC-CAP-013", queues=[queue(purchase="spot", max_spot_price=listed.usd + 0.01)], **there)
    elsewhere = queue(machine="r8i.4xlarge", purchase="spot", max_spot_price=99)
    assert not paths("HPC-CAP-013", queues=[elsewhere])  # no price of us-east-2 is known


def named(remedy: str) -> list[Machine]:
    """Return the machine types that a remedy names."""
    return [found for word in remedy.replace(",", " ").split() if (found := machine("aws", word))]


def test_spot_in_place_of_hpc_has_efa_and_the_same_architecture():
    for name, arch in (("hpc6a.48xlarge", "x86_64"), ("hpc7g.16xlarge", "arm64")):
        (problem,) = problems("HPC-CAP-001", region="eu-west-1", queues=[queue(machine=name, purchase="spot")])
        able = named(problem.remedy)
        assert len(able) == 4
        assert all(found.spot and found.has_fabric and found.arch == arch for found in able)


def test_types_with_blocks_are_named():
    (problem,) = problems("HPC-CAP-002", queues=[queue(**BLOCK)])
    assert named(problem.remedy)
    assert all("capacity_block" in found.usage for found in named(problem.remedy))


def test_spot_machines_from_zero_are_right():
    assert not paths("HPC-CAP-015", queues=[queue(purchase="spot")])


def test_of_unknown_machines_nothing_is_said():
    unknown = queue(machine="q9.huge", max_spot_price=99)
    assert not paths("HPC-CAP-002", queues=[unknown | BLOCK])
    assert not paths("HPC-CAP-009", queues=[unknown])
    assert not paths("HPC-CAP-013", queues=[unknown])


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, [Level.WARNING]),
        ({"machine": "c7i.8xlarge"}, [Level.ERROR]),
        ({"zones": ["use2-az1"]}, [Level.ERROR]),
        ({"zones": ["use2-az2"]}, [Level.WARNING]),
        ({"purchase": {"reservation": "cr-0fedcba9876543210"}, "machine": "c7i.8xlarge"}, []),
    ],
)
def test_a_reservation_is_of_one_type_in_one_zone(changes, found):
    queues = [queue(name="a", **RESERVED), queue(name="b", **RESERVED) | changes]
    assert levels("HPC-CAP-006", queues=queues) == found


def spot(usd, name="c7i.4xlarge", **changes):
    return [queue(machine=name, purchase="spot", max_spot_price=usd, **changes)]


def test_a_maximum_price_is_for_a_whole_node():
    held = machine("aws", "c7i.4xlarge")
    assert held is not None
    listed = price(held, "us-east-2", "on_demand")
    assert listed is not None
    tenth = (listed.usd if listed.exact_region else listed.usd / 2) / 10
    assert not paths("HPC-CAP-016", queues=spot(tenth * 1.01))
    assert not paths("HPC-CAP-016", queues=spot(listed.usd / 3))
    assert paths("HPC-CAP-016", queues=spot(tenth * 0.99)) == ["queues[0].max_spot_price"]
    assert not paths("HPC-CAP-016", queues=spot(0)), "told by HPC-CAP-012"


def test_a_price_is_compared_with_the_cheapest_machine():
    assert paths("HPC-CAP-016", queues=spot(0.05, "c7i.48xlarge"))
    assert not paths("HPC-CAP-016", queues=spot(0.05, "c7i.48xlarge", fallback=["c7i.large"]))
    assert not paths("HPC-CAP-016", queues=spot(0.05, "c7i.48xlarge", fallback=["x1.nonsense"]))
