"""The catalogue's data is whole: every fact says where it comes from, and facts agree with one another."""

import csv
import json
import re
from pathlib import Path

import pytest

import hpc_components
from hpc_components.aws.catalog.efa import efa_interfaces
from hpc_components.catalog import (
    Machine,
    all_machines,
    is_known_type,
    machine,
    quota,
    real_memory_mib,
    region_of_zone,
    regions,
    zones,
    zones_offering,
)

from .present import present

PACKAGE = Path(hpc_components.__file__).parent
FILES = sorted(
    str(path.relative_to(PACKAGE))
    for path in (*PACKAGE.rglob("data/*.json"), *PACKAGE.glob("*/*/facts.json"))
    if path.name == "facts.json" or path.parts[-3] in ("catalog", "slurm")
)
DATE = re.compile(r"20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")


def records(name: str) -> list[dict]:
    return json.loads((PACKAGE / name).read_text())


def test_every_cloud_and_the_core_have_data():
    assert {name.rpartition("/data/")[0] for name in FILES if "/data/" in name} == {
        "catalog", "aws/catalog", "azure/catalog", "gcp/catalog", "spec/slurm",
    }  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_record_says_its_source_and_its_day(name):
    for record in records(name):
        assert len(record["source"]) > 5, record
        only_year = re.fullmatch(r"20\d\d", record["as_of"]) and record.get("unsure") is True
        assert DATE.fullmatch(record["as_of"]) or only_year, record


@pytest.mark.parametrize("name", FILES)
def test_each_line_holds_one_record(name):
    first, *lines, last = (PACKAGE / name).read_text().splitlines()
    assert (first, last) == ("[", "]")
    assert [json.loads(line.removesuffix(",")) for line in lines] == records(name)


@pytest.mark.parametrize("name", FILES)
def test_doubts_name_fields_of_their_record(name):
    for record in records(name):
        doubts = record.get("unsure", [])
        if doubts is not True:
            assert {doubt.split(".")[0] for doubt in doubts} <= record.keys(), record


@pytest.mark.parametrize("name", FILES)
def test_no_record_is_there_twice(name):
    keys = (
        "cloud",
        "code",
        "name",
        "kind",
        "item",
        "key",
        "family",
        "prefix",
        "region",
        "os",
        "arch",
        "publisher",
        "families",
        "offer",
        "sku",
        "accelerator",
        "deployment",
        "api",
        "project",
        "release",
        "version",
        "fixed",
        "projects",
        "nic_type",
        "beside",
        "is",
        "has",
        "above",
        "below",
        "parameter",
        "sizes",
        "tier",
    )
    identities = [
        json.dumps([r.get(k) for k in (*keys, "type", "types", "throughput", "efa", "storage", "path")])
        for r in records(name)
    ]
    assert len(identities) == len(set(identities))


def test_prices_have_a_source_and_a_day_and_are_positive():
    for held in all_machines():
        for record in held.prices:
            assert record["usd"] > 0, held.name
            assert record["source"], held.name
            # A price of which only the year is known must say that it is unsure.
            assert DATE.fullmatch(record["as_of"]) or (re.fullmatch(r"20\d\d", record["as_of"]) and record["unsure"])
            assert record["region"] in held.offered, held.name


def test_regional_prices_are_of_regions_that_sell_the_type_and_near_one_another():
    held = {each.name: each for each in all_machines("aws")}
    for record in records("aws/catalog/data/regional_prices.json"):
        assert set(record["usd"]) <= set(held[record["name"]].offered), record["name"]
        assert max(record["usd"].values()) < 2.2 * min(record["usd"].values()), record["name"]


def test_regional_prices_agree_with_those_of_another_source():
    compared = 0
    for record in records("aws/catalog/data/regional_prices.json"):
        known = machine("aws", record["name"])
        for price in present(known).prices:
            if price["purchase"] == "on_demand" and price["region"] in record["usd"]:
                assert record["usd"][price["region"]] == pytest.approx(price["usd"], rel=1e-3), record["name"]
                compared += 1
    assert compared > 200


def test_a_spot_price_is_below_the_on_demand_price():
    for held in all_machines():
        usd = {record["purchase"]: record["usd"] for record in held.prices}
        if {"spot", "on_demand"} <= usd.keys():
            assert usd["spot"] < usd["on_demand"], held.name
        if "spot" in usd:
            assert held.spot, held.name


def test_every_zone_belongs_to_its_region():
    for held in all_machines("aws"):
        for region in held.offered:
            offering = zones_offering(held, region)
            assert offering, (held.name, region)
            assert set(offering) <= set(zones("aws", region)), (held.name, region)
    for held in all_machines("gcp"):
        for region in held.offered:
            assert all(zone.startswith(f"{region}-") for zone in zones_offering(held, region)), held.name


def test_zone_ids_are_unique_over_regions():
    every = [zone for region in regions("aws") for zone in zones("aws", region)]
    assert len(every) == len(set(every)) > 90
    assert all(region_of_zone("aws", zone) == region for region in regions("aws") for zone in zones("aws", region))


def test_cores_and_threads_make_the_vcpus():
    for held in all_machines():
        assert held.vcpus == held.cores * held.threads_per_core, held.name
        assert held.threads_per_core in held.valid_threads_per_core, held.name
        assert held.numa_nodes is None or held.cores % held.numa_nodes == 0


def test_measured_memory_is_plausible():
    for held in all_machines():
        if held.os_memory_mib is not None:
            assert 0.78 * held.memory_mib < held.os_memory_mib <= 1.03 * held.memory_mib, held.name
        assert 0 < real_memory_mib(held) <= 1.03 * held.memory_mib, held.name


def test_every_machine_with_efa_has_a_layout_with_as_many_interfaces():
    assert sum(held.has_fabric for held in all_machines("aws")) > 40
    for held in all_machines("aws"):
        carried = [interface for interface in efa_interfaces(held.name) if interface.type != "interface"]
        assert len(carried) == (present(held.fabric).interfaces if held.has_fabric else 0), held.name


def test_interfaces_fit_their_cards():
    for held in all_machines("aws"):
        used: dict[int, set[int]] = {}
        for interface in efa_interfaces(held.name):
            devices = used.setdefault(interface.card, set())
            assert interface.device not in devices, held.name
            devices.add(interface.device)
        for card, devices in used.items():
            assert len(devices) <= held.interfaces_per_card[card], held.name


def test_every_aws_machine_is_a_known_type_with_a_quota():
    for held in all_machines("aws"):
        assert is_known_type("aws", held.name)
        assert quota(held, "on_demand") is not None
        assert (quota(held, "spot") is not None) >= held.spot, held.name


def test_the_draft_agrees_with_the_interface_descriptions_of_ec2():
    """The draft was written independently of moto's copy; where both speak, they must say the same."""
    known: dict[tuple[str, str], Machine] = {(held.cloud, held.name): held for held in all_machines()}
    path = Path(__file__).parents[2] / "tools" / "catalog_sources" / "machines.csv"
    for row in csv.DictReader(path.read_text().splitlines()):
        held = known[row["cloud"], row["instance_type"]]
        assert (held.arch, held.vcpus, held.cores) == (row["arch"], int(row["vcpus"]), int(row["physical_cores"]))
        assert held.memory_gib == pytest.approx(float(row["memory_gib"]))
        assert held.gpu_count == (0 if "Trainium" in row["gpu_type"] else int(row["gpu_count"]))
        assert set(held.offered) == set(row["regions_offered"].split())
        assert set(zones_offering(held, row["region"])) == set(row["zones"].split())
        if row["rdma_gbps"]:
            assert (present(held.fabric).interfaces, present(held.fabric).gbps) == (
                int(row["rdma_interfaces"]),
                float(row["rdma_gbps"]),
            )
        else:
            assert held.fabric is None
        if row["cloud"] == "aws":
            assert present(quota(held, "on_demand")).code == row["quota_od"]
            spot = quota(held, "spot")
            assert (spot.code if spot and held.spot else None) == (
                {"": None, "unsure": None}.get(row["quota_spot"], row["quota_spot"])
            )


def test_sockets_of_machines_for_mpi_are_known():
    """Slurm is told one socket where they are not known: it then refuses `--sockets-per-node=2`, and packs ranks."""
    for held in all_machines():
        if held.fabric and held.fabric.kind == "infiniband":
            assert held.sockets, held.name
    for record in records("aws/catalog/data/machines.json"):
        if record["fabric"] and record["cores"] > 64:
            assert record["sockets"], record["name"]
