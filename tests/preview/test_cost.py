"""What a plan costs, against numbers reckoned by hand."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from preview_sample import Program, cfd, fleet, network

from hpc_components.aws.catalog.prices import service_price
from hpc_components.catalog import machine, price
from hpc_components.preview.cost import cost_of


def line(cost: dict[str, Any], what: str) -> dict[str, Any]:
    found = [each for each in cost["lines"] if each["what"] == what]
    assert len(found) == 1, [each["what"] for each in cost["lines"]]
    return found[0]


def usd_hour(name: str, region: str, purchase: Any = "on_demand") -> float:
    facts = machine("aws", name)
    found = price(facts, region, purchase) if facts else None
    assert found is not None
    return found.usd


def usd(item: str) -> float:
    found = service_price(item, "us-east-1")
    assert found is not None
    return found.usd


def test_a_program_without_resources_costs_nothing() -> None:
    cost = cost_of(Program().resources, "aws", "us-east-1")
    assert cost["idle"] == cost["full"] == {"hour": 0.0, "month": 0.0, "at_least": False}
    assert cost["lines"] == cost["unknown"] == cost["queues"] == []


def test_a_queue_is_free_while_empty_and_all_its_nodes_when_full() -> None:
    # 16 x hpc6a.48xlarge at 2.88 = 46.08; with 64 GiB gp3 each: 1,024 x 0.08 / 730 = 0.1122
    program = Program()
    fleet(program, "compute", ["hpc6a.48xlarge"], network(program))
    cost = cost_of(program.resources, "aws", "us-east-2")
    nodes = line(cost, "queue compute: hpc6a.48xlarge")
    assert (nodes["quantity_idle"], nodes["quantity"], nodes["unit_price"]) == (0, 16, 2.88)
    assert (nodes["idle_hour"], nodes["full_hour"], nodes["full_month"]) == (0.0, 46.08, 33638.4)
    disks = line(cost, "disks of queue compute, gp3 storage")
    assert (disks["idle_hour"], disks["quantity"], disks["full_hour"]) == (0.0, 1024, 0.1122)


def test_least_nodes_are_paid_while_idle() -> None:
    program = Program()
    fleet(program, "warm", ["hpc6a.48xlarge"], network(program), min=2, max=4)
    nodes = line(cost_of(program.resources, "aws", "us-east-2"), "queue warm: hpc6a.48xlarge")
    assert (nodes["idle_hour"], nodes["full_hour"]) == (5.76, 11.52)


def test_a_queue_has_prices_of_node_hour_and_core_hour() -> None:
    [queue] = [
        each for each in cost_of(cfd().resources, "aws", "us-east-2")["queues"] if each["queue"] == "compute-queue"
    ]
    assert (queue["node_hour"], queue["core_hour"], queue["cores"]) == (2.88, 0.03, 96)  # 2.88 / 96 cores


def test_spot_is_an_estimate_and_other_regions_prices_are_marked() -> None:
    cost = cost_of(cfd().resources, "aws", "us-east-2")
    spot = line(cost, "queue spot: c7i.48xlarge")
    assert spot["unit_price"] == usd_hour("c7i.48xlarge", "us-east-1", "spot")
    assert spot["unsure"]
    assert "an estimate: spot prices change hourly" in spot["notes"]
    assert "price for us-east-1, because none is known for us-east-2" in spot["notes"]
    assert "alternative machine types are billed at their own prices: c6i.32xlarge" in spot["notes"]
    sure = line(cost_of(cfd().resources, "aws", "us-east-1"), "NAT gateway cfd-nat")
    assert not sure["unsure"]
    assert sure["notes"] == []


def test_a_missing_price_makes_the_total_a_least_one() -> None:
    cost = cost_of(cfd().resources, "aws", "us-east-2")
    assert cost["idle"]["at_least"]  # one of its nodes always runs
    assert cost["full"]["at_least"]
    assert [each["what"] for each in cost["unknown"]] == ["queue gpu"]
    assert "paid for when the block is bought" in cost["unknown"][0]["reason"]


def test_an_empty_queue_without_a_price_leaves_the_idle_total_exact() -> None:
    program = Program()
    fleet(program, "block", ["p5.48xlarge"], network(program), purchase="capacity_block")
    cost = cost_of(program.resources, "aws", "us-east-2")
    assert not cost["idle"]["at_least"]
    assert cost["full"]["at_least"]


def test_an_unknown_machine_is_named() -> None:
    program = Program()
    program.add("aws:ec2/instance:Instance", "odd", instanceType="zz9.huge")
    cost = cost_of(program.resources, "aws", "us-east-1")
    assert [each["reason"] for each in cost["unknown"]] == ["the catalogue has no on-demand price for zz9.huge"]


def test_a_capacity_reservation_is_billed_as_on_demand() -> None:
    program = Program()
    fleet(program, "kept", ["hpc6a.48xlarge"], network(program), purchase="reservation", max=1)
    assert line(cost_of(program.resources, "aws", "us-east-2"), "queue kept: hpc6a.48xlarge")["full_hour"] == 2.88


def test_services_of_a_users_own_program_are_counted() -> None:
    program = Program()
    nlb: dict[str, Any] = {"loadBalancerType": "network", "internal": False, "subnets": ["a", "b"]}
    program.add("aws:lb/loadBalancer:LoadBalancer", "front", **nlb)
    program.add("aws:ec2/vpcEndpoint:VpcEndpoint", "ssm", vpcEndpointType="Interface", subnetIds=["a", "b", "c"])
    program.add("aws:ebs/volume:Volume", "fast", size=100, type="gp3", iops=4000, throughput=225)
    program.add(
        "aws:fsx/lustreFileSystem:LustreFileSystem", "p2",
        deploymentType="PERSISTENT_2", storageType="SSD", storageCapacity=2400, perUnitStorageThroughput=250,
    )  # fmt: skip
    program.add("aws:secretsmanager/secret:Secret", "key")
    cost = cost_of(program.resources, "aws", "us-east-1")
    hours = {each["what"]: each["full_hour"] for each in cost["lines"]}
    assert hours == {
        "load balancer front": 0.0225,
        "public addresses of front": 0.01,  # 2 zones x 0.005
        "endpoint ssm": 0.03,  # 3 zones x 0.01
        "volume fast, gp3 storage": 0.011,  # 100 x 0.08 / 730
        "volume fast, gp3 IOPS": 0.0068,  # 1,000 above 3,000 x 0.005 / 730
        "volume fast, gp3 throughput": 0.0055,  # 100 above 125 x 0.04 / 730
        "Lustre p2": pytest.approx(2400 * usd("lustre.persistent_2.ssd.250") / 730, abs=5e-5),
        "secret key": 0.0005,  # 0.40 / 730
    }
    assert cost["idle"] == cost["full"]
    assert cost["full"]["hour"] == pytest.approx(sum(hours.values()), abs=5e-4)


def test_scaling_group_and_instance_take_machine_and_disks_from_their_launch_template() -> None:
    cost = cost_of(cfd().resources, "aws", "us-east-1")
    login = line(cost, "login nodes: m6i.large")
    assert (login["quantity_idle"], login["quantity"]) == (2, 4)
    disks = line(cost, "disks of login nodes, gp3 storage")
    assert (disks["quantity_idle"], disks["quantity"]) == (128, 256)


def test_what_is_paid_by_use_is_said_not_to_be_counted() -> None:
    said = cost_of(cfd().resources, "aws", "us-east-2")["not_counted"]
    assert "data stored in buckets, and requests to them" in said
    assert "data through NAT gateways" in said
    assert "logs" not in said


@given(fewest=st.integers(0, 50), more=st.integers(0, 500))
def test_totals_are_the_sum_of_the_lines(fewest: int, more: int) -> None:
    program = Program()
    fleet(program, "q", ["hpc6a.48xlarge"], network(program), min=fewest, max=fewest + more)
    cost = cost_of(program.resources, "aws", "us-east-2")
    for state in ("idle", "full"):
        summed = sum(Decimal(str(each[f"{state}_hour"])) for each in cost["lines"])
        assert abs(Decimal(str(cost[state]["hour"])) - summed) <= Decimal("0.0001") * len(cost["lines"])
    assert cost["idle"]["hour"] <= cost["full"]["hour"]


def test_every_line_says_what_it_is_for() -> None:
    groups = {
        line["what"].split(" ")[0]: line["group"] for line in cost_of(cfd().resources, "aws", "us-east-2")["lines"]
    }
    assert groups["queue"] == "compute"
    assert groups["head"] == groups["login"] == groups["load"] == "access"
    assert groups["Lustre"] == groups["OpenZFS"] == groups["volume"] == "storage"
    assert groups["NAT"] == "network"
    assert groups["secret"] == "other"


def budgeted(**inputs: Any) -> dict[str, Any] | None:
    program = Program()
    fleet(program, "compute", ["hpc6a.48xlarge"], network(program))
    program.add("aws:budgets/budget:Budget", "b", **{"limitUnit": "USD", "timeUnit": "MONTHLY", **inputs})
    return cost_of(program.resources, "aws", "us-east-2")["budget"]


def test_a_budget_lasts_for_so_many_full_days() -> None:
    # 16 x 2.88 + disks, NAT and address: about 46.3 an hour, 1,110 a day
    assert budgeted(limitAmount="11100") == {"monthly": 11100.0, "full_days": pytest.approx(10, abs=0.1)}


@pytest.mark.parametrize(
    "inputs",
    [
        {"limitAmount": "<unknown>"},
        {"limitAmount": "9", "timeUnit": "ANNUALLY"},
        {"limitAmount": "9", "limitUnit": "GB"},
    ],
)
def test_other_budgets_say_nothing_about_a_month(inputs: dict[str, Any]) -> None:
    assert budgeted(**inputs) is None
