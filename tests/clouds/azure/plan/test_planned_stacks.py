"""Plans of the stacks on Azure: machines, cost, quotas, picture and files, compared with values computed by hand."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from stack_recordings import PROJECT, recorded, stacks_of

from hpc_components.azure.plan.fleets import fleets_of
from hpc_components.azure.plan.machines import machine_uses
from hpc_components.azure.plan.network import network, ssh_sources
from hpc_components.azure.plan.reader import READER
from hpc_components.catalog import HOURS_PER_MONTH, machine, price, service_price
from hpc_components.preview.files import USER_DATA, generated_files
from hpc_components.preview.picture.cards import Card, Placed
from hpc_components.preview.picture.layout import draw
from hpc_components.preview.picture.scene import describe, scene_of
from hpc_components.preview.plan import Plan, make_plan
from hpc_components.spec.load import load_cluster

FLEET = "hpc:azure:InfinibandComputeFleet"


@cache
def planned(stack: str) -> Plan:
    cluster = load_cluster(PROJECT.open(stack).config["hpc:cluster"])
    return make_plan(recorded(stack), cloud="azure", cluster=cluster.name, region=cluster.region)


def titled(cards: Iterable[Card | Placed]) -> dict[str, Card]:
    plain = (each.card if isinstance(each, Placed) else each for each in cards)
    return {each.title: each for each in plain}


def line(stack: str, what: str) -> dict[str, Any]:
    (found,) = [each for each in planned(stack).cost["lines"] if each["what"] == what]
    return dict(found)


@pytest.mark.parametrize("stack", stacks_of("azure"))
def test_the_picture_of_every_stack_is_drawn(stack: str) -> None:
    scene = scene_of(planned(stack).resources, "azure", planned(stack).region)
    seen = describe(scene)
    for queue in (each.text("queue") for each in planned(stack).resources.of_type(FLEET)):
        assert queue
        assert queue in seen
    assert draw(scene).boxes


class TestReferenceCluster:
    """Return the cards of azure-hbv4 by title."""

    def test_the_network_is_drawn_with_its_subnets(self) -> None:
        found = network(planned("azure-hbv4").resources)
        assert found.title == "Virtual network 10.20.0.0/16"
        assert {each.zone for each in found.subnets} == {None}, "subnets are of the region"
        assert len({each.cidr for each in found.subnets}) == len(found.subnets) == 3

    def test_ssh_is_let_in_from_these_ranges(self) -> None:
        assert set(ssh_sources(planned("azure-hbv4").resources)) == {"203.0.113.0/24"}

    def test_nat_gateway_and_head_node_have_cards(self) -> None:
        cards = titled(READER.standing(planned("azure-hbv4").resources))
        assert set(cards) == {"NAT gateway", "Head node"}
        assert cards["Head node"].lines[0] == "Standard_D8s_v5"
        assert cards["Head node"].lines[1].startswith("10.20.")
        assert cards["Head node"].chips == ("public address",)

    def test_file_systems_have_cards_with_their_size(self) -> None:
        found = list(READER.file_systems(planned("azure-hbv4").resources))
        cards = titled(found)
        assert cards["/fsx"].lines == ("Managed Lustre · 8 TiB · 250 MB/s per TiB",)
        assert cards["/fsx"].links == ("linked container",) or "/" in cards["/fsx"].links[0]
        assert cards["/home"].lines == ("Azure Files · 1,024 GiB",)
        assert {each.chips for each in cards.values()} == {("retained on destroy",)}
        assert [each.zones for each in found if each.card.title == "/fsx"] == [("eastus-1",)]

    def test_buckets_budget_and_vault_have_cards(self) -> None:
        cards = titled(READER.service_cards(planned("azure-hbv4").resources, ["myhpcdata/runs"]))
        assert cards["myhpcdata/runs"].lines == ("existing Blob container",)
        assert cards["Budget"].lines == ("20,000 monthly",)
        assert cards["3 secrets"].lines == ("Key Vault",)
        assert "Nodes' resource group" in cards
        assert [each for each in cards.values() if each.lines == ("storage account with node configuration",)]


def test_the_homes_of_netapp_say_their_level() -> None:
    cards = titled(READER.file_systems(planned("azure-university").resources))
    assert cards["/home"].lines == ("NetApp Files · 8,192 GiB · premium",)


def test_login_nodes_and_bastion_have_cards() -> None:
    cards = titled(READER.standing(planned("azure-nd").resources))
    assert cards["Login nodes"].lines == ("2 to 4 × Standard_D8s_v5",)
    assert cards["Load balancer"].lines == ("open to the internet",)
    assert "Bastion" in cards
    inside = titled(READER.standing(planned("azure-university").resources))
    assert inside["Load balancer"].lines == ("inside the network",)


def test_the_reference_cluster_has_these_machines() -> None:
    found = {each.what: each for each in machine_uses(planned("azure-hbv4").resources)}
    assert {what: (each.machines, each.idle, each.full, each.purchase) for what, each in found.items()} == {
        "head node": (("Standard_D8s_v5",), 1, 1, "on_demand"),
        "queue compute-queue": (("Standard_HB176rs_v4",), 0, 16, "on_demand"),
        "queue spot": (("Standard_HB120rs_v3",), 0, 8, "spot"),
    }
    assert {each.queue for each in found.values()} == {None, "compute-queue", "spot"}
    assert [found[what].group for what in ("head node", "queue spot")] == ["access", "compute"]


def test_login_nodes_grow_to_what_their_setting_says() -> None:
    (login,) = [each for each in machine_uses(planned("azure-nd").resources) if each.what == "login nodes"]
    assert (login.machines, login.idle, login.full) == (("Standard_D8s_v5",), 2, 4)


def test_machines_that_stand_in_for_one_another_are_one_use() -> None:
    (cpu,) = [each for each in machine_uses(planned("azure-university").resources) if each.queue == "cpu"]
    assert (cpu.machines, cpu.full) == (("Standard_D96as_v5", "Standard_D96s_v5"), 8)


def test_a_fabric_is_one_single_placement_group() -> None:
    fleets = {each.fleet.queue: each.fleet for each in fleets_of(planned("azure-hbv4").resources)}
    assert (fleets["compute-queue"].placement, fleets["compute-queue"].fabric) == ("single placement group", True)
    assert (fleets["spot"].placement, fleets["spot"].fabric, fleets["spot"].purchase) == (None, False, "spot")


def test_every_zone_is_there() -> None:
    (cpu,) = [each.fleet for each in fleets_of(planned("azure-university").resources) if each.fleet.queue == "cpu"]
    assert cpu.zones == ("swedencentral-1", "swedencentral-2")


@pytest.mark.parametrize("stack", stacks_of("azure"))
def test_all_that_a_stack_pays_has_a_price_but_for_spot(stack: str) -> None:
    plan = planned(stack)
    cost, fleets = plan.cost, plan.resources.of_type(FLEET)
    spot = {f"queue {each.text('queue')}" for each in fleets if each.text("purchase") == "spot"}
    assert {each["what"] for each in cost["unknown"]} <= spot
    assert cost["full"]["at_least"] == bool(cost["unknown"])
    assert cost["idle"]["hour"] > 0
    assert cost["full"]["hour"] > cost["idle"]["hour"]


def test_the_reference_cluster_costs_what_is_summed_by_hand() -> None:
    facts = machine("azure", "Standard_HB176rs_v4")
    assert facts
    node = price(facts, "eastus", "on_demand")
    lustre = service_price("azure", "lustre.250", "eastus")
    assert node
    assert lustre
    nodes = line("azure-hbv4", "queue compute-queue: Standard_HB176rs_v4")
    assert (nodes["quantity_idle"], nodes["quantity"], nodes["idle_hour"]) == (0, 16, 0.0)
    assert nodes["full_hour"] == pytest.approx(16 * node.usd, abs=0.0001)
    scratch = line("azure-hbv4", "Lustre cfd-scratch")
    assert (scratch["quantity"], scratch["group"]) == (8 * 1024, "storage")
    per_hour = 8192 * lustre.usd / (1 if lustre.unit.endswith("hour") else HOURS_PER_MONTH)
    assert scratch["full_hour"] == pytest.approx(per_hour, abs=0.001)
    cost = planned("azure-hbv4").cost
    assert cost["full"]["hour"] == pytest.approx(sum(each["full_hour"] for each in cost["lines"]), abs=0.01)


def test_cores_count_for_their_family_and_for_the_region() -> None:
    # 16 x 176 for HBv4, 8 for the head node; spot has one quota per region
    needs = {entry["name"]: entry for entry in planned("azure-hbv4").quota}
    assert needs["HBv4 vCPUs"]["need"] == 16 * 176
    assert needs["HBv4 vCPUs"]["ask"]
    assert needs["Total Regional vCPUs"]["need"] == 16 * 176 + 8
    assert needs["Total Regional Spot vCPUs"]["need"] == 8 * 120
    assert needs["Managed Lustre file systems"]["need"] == 1


def test_a_stack_has_its_files_and_user_data() -> None:
    files = {each.name: each for each in generated_files(planned("azure-hbv4").resources, "azure")}
    assert "ClusterName=cfd" in next(each.text for name, each in files.items() if name.endswith("/slurm.conf"))
    assert files[USER_DATA].text.startswith("#")
    assert len(files[USER_DATA].used_by) == 3, "head and two queues boot from one text"
