from dataclasses import replace

import pytest

from hpc_components.catalog import machine, machines, regions_offering, zones_offering
from hpc_components.spec.findings import Level

from .judged import levels, paths, problems, queue


def hpc(**changes):
    return queue(machine="hpc6a.48xlarge") | changes


def test_a_misspelt_fallback_is_corrected():
    (problem,) = problems("HPC-MCH-004", queues=[queue(fallback=["m7i.4xlarg"])])
    assert problem.path == ("queues", 0, "fallback", 0)
    assert "m7i.4xlarge" in problem.remedy


def test_another_clouds_type_is_told_as_such():
    (problem,) = problems("HPC-MCH-004", queues=[queue(machine="Standard_HB176rs_v4")])
    shown = "run `hpc machines --like Standard_HB176rs_v4 --cloud aws` to list similar types"
    assert problem.remedy == f"this is another cloud's machine type: {shown}"
    (problem,) = problems("HPC-MCH-004", queues=[queue(machine="nothing-of-the-kind")])
    assert problem.remedy.startswith("use a machine type such as ")


def test_of_what_is_not_known_nothing_else_is_said():
    nothing = [queue(machine="q9.huge", local_scratch="/scratch", smt=False, placement="cluster", fabric=True)]
    for number in (5, 6, 7, 8, 9, 11, 12, 14, 15, 16, 17):
        assert not paths(f"HPC-MCH-{number:03}", queues=nothing), number


@pytest.mark.parametrize("m", [m for m in machines("aws") if m.family.startswith("hpc")], ids=lambda m: m.name)
def test_hpc_types_live_in_one_zone(m):
    """The trap of the published cluster: hpc6a is not in us-east-1, and in one zone of each region that has it."""
    for region in regions_offering(m):
        (home,) = zones_offering(m, region)
        queues = [queue(machine=m.name)]
        assert not paths("HPC-MCH-007", region=region, zone=home, queues=queues)
        elsewhere = home[:-1] + ("2" if home[-1] == "1" else "1")
        found = problems("HPC-MCH-007", region=region, zone=elsewhere, queues=queues)
        if found:
            assert f"use queues[0].zones: [{home}]" in found[0].remedy
    assert "queues[0].machine" in paths("HPC-MCH-006", region="me-central-1", queues=[queue(machine=m.name)])


def test_regions_that_have_it_are_named():
    (problem,) = problems("HPC-MCH-006", region="us-east-1", queues=[hpc()])
    assert "ap-southeast-1, ap-southeast-2, eu-north-1 or us-east-2" in problem.remedy


@pytest.mark.parametrize(
    ("key", "remedy"), [("head_node", "use zone: "), ("login_nodes", "use login_nodes.zones: [")]
)
def test_the_remedy_names_the_key_of_the_zone(key, remedy):
    (problem,) = problems("HPC-MCH-007", zone="use2-az1", **{key: {"machine": "hpc6a.48xlarge"}})
    assert problem.remedy.startswith(remedy)


def test_one_good_zone_is_enough_and_the_other_is_warned_about():
    queues = [hpc(zones=["use2-az1", "use2-az2"])]
    assert not paths("HPC-MCH-007", queues=queues)
    assert paths("HPC-MCH-008", queues=queues) == ["queues[0].zones[0]"]
    assert not paths("HPC-MCH-008", queues=[hpc(zones=["use2-az1", "use2-az2"], fallback=["c7i.48xlarge"])])


def test_fallback_is_judged_in_the_queue_zones():
    queues = [queue(zones=["use2-az1"], fallback=["hpc6a.48xlarge"])]
    assert paths("HPC-MCH-007", queues=queues) == ["queues[0].fallback[0]"]


@pytest.mark.parametrize(("name", "old"), [("m4.xlarge", True), ("m7i.xlarge", False), ("c3.large", True)])
def test_a_machine_of_a_previous_generation_is_found(name, old):
    assert paths("HPC-MCH-009", head_node={"machine": name}) == (["head_node.machine"] if old else [])


def test_architecture_is_that_of_the_first_queue():
    arm = queue(machine="c7g.16xlarge")
    assert paths("HPC-MCH-010", queues=[arm]) == ["head_node.machine"]
    assert paths("HPC-MCH-010", queues=[queue(), arm | {"name": "arm"}]) == ["queues[1].machine"]
    assert not paths("HPC-MCH-010", queues=[queue(fallback=["c7g.16xlarge"])]), "the rule on fallbacks says so"


def test_burstable_machines_are_found_everywhere():
    t3 = {"machine": "t3.xlarge"}
    found = problems("HPC-MCH-011", head_node=t3, login_nodes=t3)
    assert [problem.path[0] for problem in found] == ["head_node", "login_nodes"]
    assert "t3" not in found[0].remedy


@pytest.mark.parametrize(("name", "right"), [("t3.micro", False), ("t3.small", True)])
def test_a_machine_needs_two_gib_of_memory(name, right):
    assert (not paths("HPC-MCH-012", head_node={"machine": name})) is right


def test_the_remedy_names_newer_types_of_the_same_size():
    (problem,) = problems("HPC-MCH-009", head_node={"machine": "c4.8xlarge"})
    assert problem.remedy == "use c6i.8xlarge, c7a.8xlarge or c7i.8xlarge"


def test_zones_of_other_rules_are_not_found_again():
    assert not paths("HPC-MCH-008", queues=[hpc(zones=["use2-az2", "use2-az9"])])
    assert not paths("HPC-MCH-008", queues=[hpc(zones=["use2-az1", "use2-az3"])])


def test_the_remedy_names_steady_types_of_the_same_kind():
    (problem,) = problems("HPC-MCH-011", head_node={"machine": "t3.xlarge"})
    assert problem.remedy.startswith("use m6i.xlarge, m7i.xlarge")


@pytest.mark.parametrize(
    ("id", "change"),
    [
        ("HPC-MCH-006", {"region": "us-east-1", "zone": "use1-az4"}),
        ("HPC-MCH-007", {"zone": "use2-az1"}),
        ("HPC-EFA-001", {"queues": [queue(fabric=True)]}),
        ("HPC-CAP-001", {"queues": [hpc(purchase="spot")]}),
        ("HPC-CAP-002", {"queues": [hpc(purchase={"capacity_block": "cr-0123456789abcdef0"})]}),
    ],
)
def test_what_the_catalogue_is_not_sure_of_is_only_warned_about(id, change, monkeypatch):
    change = {"queues": [hpc()]} | change
    assert Level.ERROR in levels(id, **change)

    def doubtful(cloud, name):
        known = machine(cloud, name)
        return known and replace(known, unsure=("offered", "fabric", "usage"))

    monkeypatch.setattr("hpc_components.spec.rules._fleet.machine", doubtful)
    assert set(levels(id, **change)) == {Level.WARNING}
