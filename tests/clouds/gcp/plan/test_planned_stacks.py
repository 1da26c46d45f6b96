"""Readings of the stacks on Google Cloud (machines, cost, quotas, picture, files) against values known by hand."""

from collections.abc import Iterable
from functools import cache

import pytest
from stack_recordings import PROJECT, recorded, stacks_of

from hpc_components.catalog import HOURS_PER_MONTH, service_price
from hpc_components.gcp.plan.machines import machine_uses
from hpc_components.gcp.plan.reader import READER
from hpc_components.preview.files import USER_DATA, generated_files
from hpc_components.preview.picture.cards import Card, Placed
from hpc_components.preview.picture.layout import draw
from hpc_components.preview.picture.scene import describe, scene_of
from hpc_components.preview.plan import Plan, make_plan
from hpc_components.spec.load import load_cluster

FLEET = "hpc:gcp:CompactComputeFleet"


@cache
def planned(stack: str) -> Plan:
    cluster = load_cluster(PROJECT.open(stack).config["hpc:cluster"])
    return make_plan(recorded(stack), cloud="gcp", cluster=cluster.name, region=cluster.region)


def titled(cards: Iterable[Card | Placed]) -> dict[str, Card]:
    plain = (each.card if isinstance(each, Placed) else each for each in cards)
    return {each.title: each for each in plain}


@pytest.mark.parametrize("stack", stacks_of("gcp"))
def test_the_picture_of_every_stack_is_drawn(stack: str) -> None:
    scene = scene_of(planned(stack).resources, "gcp", planned(stack).region)
    seen = describe(scene)
    queues = [each.text("queue") for each in planned(stack).resources.of_type(FLEET)]
    assert queues
    for queue in queues:
        assert f"{queue}," in seen
    assert draw(scene).boxes


@pytest.mark.parametrize("stack", stacks_of("gcp"))
def test_everything_but_machines_has_a_price(stack: str) -> None:
    plan = planned(stack)
    machines = {each.what for each in machine_uses(plan.resources)}
    assert {each["what"] for each in plan.cost["unknown"]} <= machines
    assert plan.cost["idle"]["hour"] > 0
    assert plan.cost["full"]["hour"] > plan.cost["idle"]["hour"]


def test_the_reference_cluster_has_these_machines() -> None:
    found = {each.what: each for each in machine_uses(planned("gcp-h3").resources)}
    assert {what: (each.machines, each.idle, each.full, each.purchase) for what, each in found.items()} == {
        "head node": (("n2-standard-8",), 1, 1, "on_demand"),
        "queue compute-queue": (("h3-standard-88",), 0, 16, "on_demand"),
        "queue spot": (("c3-standard-176",), 0, 8, "spot"),
    }


def test_scratch_costs_what_is_computed_by_hand() -> None:
    (scratch,) = [each for each in planned("gcp-h3").cost["lines"] if each["what"] == "Lustre cfd-scratch"]
    price = service_price("gcp", "lustre.1000", "us-central1")
    assert price
    assert (scratch["quantity"], scratch["group"]) == (9000, "storage")
    assert scratch["full_hour"] == pytest.approx(9000 * price.usd / HOURS_PER_MONTH, abs=0.001)


def test_machines_of_a_flexible_start_cost_no_more_than_on_demand() -> None:
    queues = {each["queue"]: each for each in planned("gcp-h4d").cost["queues"]}
    assert queues["urgent"]["node_hour"] == queues["mpi"]["node_hour"] is not None
    (line,) = [each for each in planned("gcp-h4d").cost["lines"] if each["what"].startswith("queue urgent")]
    assert any(note.startswith("an upper limit") for note in line["notes"])


def test_quotas_are_what_is_summed_by_hand() -> None:
    needs = {entry["code"]: entry["need"] for entry in planned("gcp-h3").quota}
    assert needs["CPUS_PER_VM_FAMILY vm_family=H3"] == 16 * 88
    assert needs["PREEMPTIBLE_CPUS"] == 8 * 176
    assert needs["CPUS_ALL_REGIONS"] == 16 * 88 + 8
    assert needs["NETWORKS"] == needs["RESOURCE_POLICIES"] == 1
    assert needs["SSD_TOTAL_GB"] == (1 + 16 + 8) * 64 + 64
    assert {entry["code"]: entry["need"] for entry in planned("gcp-ultracluster").quota}["NETWORKS"] == 3


def test_head_login_nodes_and_nat_have_cards() -> None:
    cards = titled(READER.standing(planned("gcp-h3").resources))
    assert set(cards) == {"Cloud NAT", "Head node"}
    assert cards["Head node"].lines == ("n2-standard-8", "10.20.0.20")
    assert cards["Head node"].chips == ("public address",)
    login = titled(READER.standing(planned("gcp-university").resources))
    assert login["Login nodes"].lines == ("2 to 4 × n2-standard-4",)
    assert login["Load balancer"].lines == ("inside the network",)


def test_file_systems_and_buckets_have_cards() -> None:
    resources = planned("gcp-h3").resources
    found = titled(READER.file_systems(resources))
    assert found["/fsx"].lines == ("Managed Lustre · 9,000 GiB · 1000 MB/s per TiB",)
    assert found["/fsx"].links == ("my-hpc-data-bucket",)
    assert found["/home"].lines == ("Filestore · 1,024 GiB · zonal",)
    cards = titled(READER.service_cards(resources, found["/fsx"].links))
    assert cards["my-hpc-data-bucket"].lines == ("existing bucket",)
    assert cards["Budget"].lines == ("20,000 a month",)
    assert "3 secrets" in cards


def test_ssh_is_let_in_from_these_ranges() -> None:
    assert set(READER.ssh_sources(planned("gcp-h3").resources)) == {"203.0.113.0/24"}
    assert set(READER.ssh_sources(planned("gcp-university").resources)) == {"10.0.0.0/12"}
    assert set(READER.ssh_sources(planned("gcp-dev").resources)) == set()


def test_the_network_is_drawn_with_its_fleets() -> None:
    network = READER.network(planned("gcp-h4d").resources)
    assert network.title == "VPC network 10.120.0.0/16"
    assert len(network.subnets) == 3
    fleets = {each.queue: each for each in READER.fleets(planned("gcp-h4d").resources)}
    assert (fleets["mpi"].placement, fleets["mpi"].fabric) == ("compact placement policy", True)


def test_a_stack_has_its_files_and_user_data() -> None:
    files = {each.name: each for each in generated_files(planned("gcp-h3").resources, "gcp")}
    assert "ClusterName=cfd" in next(each.text for name, each in files.items() if name.endswith("/slurm.conf"))
    assert files[USER_DATA].text.startswith("#!")
    assert len(files[USER_DATA].used_by) == 3, "head and two queues boot from one text"
