import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hpc_components.aws.catalog
from hpc_components.catalog import (
    all_machines,
    close_names,
    is_known_type,
    is_previous_generation,
    machine,
    machines,
    real_memory_mib,
    regions_offering,
    zones_offering,
)

from .present import held, present

DATA = Path(hpc_components.aws.catalog.__file__).with_name("data")

# The zone of each region that sells them: HPC machines live in exactly one.
HPC_ZONES = {
    "hpc6a.48xlarge": {"use2-az2", "eun1-az2", "apse1-az1", "apse2-az1"},
    "hpc6id.32xlarge": {"use2-az2", "eun1-az2", "euw3-az1"},
    "hpc7a.96xlarge": {"use2-az2", "eun1-az2", "euw1-az1", "euw3-az1"},
    "hpc7g.16xlarge": {"use1-az6", "euw1-az1", "apne1-az4"},
    "hpc8a.96xlarge": {"use2-az2", "eun1-az2", "apne1-az4"},
}


@pytest.mark.parametrize(("name", "expected"), HPC_ZONES.items())
def test_hpc_machines_live_in_one_zone_per_region(name, expected):
    known = held("aws", name)
    per_region = [zones_offering(known, region) for region in regions_offering(known)]
    assert all(len(zones) == 1 for zones in per_region)
    assert {zones[0] for zones in per_region} == expected


def test_hpc6a_is_not_sold_in_us_east_1():
    known = held("aws", "hpc6a.48xlarge")
    assert regions_offering(known) == ("ap-southeast-1", "ap-southeast-2", "eu-north-1", "us-east-2")
    assert zones_offering(known, "us-east-1") == ()


def test_no_hpc_machine_is_sold_as_spot():
    hpc = [each for each in machines("aws") if each.family.startswith("hpc")]
    assert len(hpc) == 10
    assert not any(each.spot for each in hpc)


def test_slurm_counts_threads_or_cores():
    assert held("aws", "p5.48xlarge").slurm_cpus(smt=True) == 192
    assert held("aws", "p5.48xlarge").slurm_cpus(smt=False) == 96
    assert held("aws", "hpc6a.48xlarge").slurm_cpus(smt=True) == 96


def test_p5_is_eight_gpus_over_3200_gbps():
    p5 = held("aws", "p5.48xlarge")
    assert (present(p5.gpu).model, p5.gpu_count, present(p5.gpu).memory_gib, present(p5.gpu).manufacturer) == (
        "H100",
        8,
        80,
        "NVIDIA",
    )
    assert (present(p5.fabric).kind, present(p5.fabric).gbps, p5.network_cards) == ("efa", 3200, 32)
    assert "capacity_block" in p5.usage


def test_trainium_is_an_accelerator_but_no_gpu():
    trn2 = held("aws", "trn2.48xlarge")
    assert (present(trn2.accelerator).manufacturer, present(trn2.accelerator).count) == ("AWS", 16)
    assert trn2.gpu is None
    assert trn2.gpu_count == 0


@pytest.mark.parametrize(
    ("cloud", "name", "family"),
    [
        ("aws", "hpc6a.48xlarge", "hpc6a"),
        ("aws", "p6-b200.48xlarge", "p6-b200"),
        ("azure", "Standard_HB176-96rs_v4", "HBv4"),
        ("azure", "Standard_HC44rs", "HC"),
        ("azure", "Standard_ND96isr_H100_v5", "NDH100v5"),
        ("gcp", "h4d-highmem-192-lssd", "h4d"),
    ],
)
def test_a_machine_has_its_family(cloud, name, family):
    assert held(cloud, name).family == family


def test_machines_of_other_clouds_have_their_fabric():
    assert present(held("azure", "Standard_HB176rs_v4").fabric).kind == "infiniband"
    assert present(held("gcp", "h4d-standard-192").fabric).kind == "cloud_rdma"
    assert present(held("gcp", "a3-megagpu-8g").fabric).kind == "gpudirect_tcpxo"
    assert held("gcp", "h3-standard-88").fabric is None


def test_doubtful_facts_are_marked_unsure():
    assert "usage" in held("azure", "Standard_HB368rs_v5").unsure
    assert "usage" in held("gcp", "h3-standard-88").unsure
    assert "cores" in held("azure", "Standard_ND40rs_v2").unsure
    assert held("aws", "hpc6a.48xlarge").unsure == ()


def test_real_memory_is_measured_where_it_was():
    assert real_memory_mib(held("aws", "hpc6a.48xlarge")) == 378_734
    assert real_memory_mib(held("aws", "c6i.xlarge")) == 7_771


def test_real_memory_is_estimated_low_elsewhere():
    hpc8a = held("aws", "hpc8a.96xlarge")
    assert hpc8a.os_memory_mib is None
    assert real_memory_mib(hpc8a) == int(0.94 * 768 * 1024)
    small = held("gcp", "e2-medium")
    assert real_memory_mib(small) == 3072


def test_the_estimate_stays_under_every_measured_value_but_one():
    above = []
    for each in machines():
        if each.os_memory_mib is not None:
            guess = real_memory_mib(dataclasses.replace(each, os_memory_mib=None))
            if guess > each.os_memory_mib:
                above.append(each.name)
    assert above == ["g6.xlarge"]


def test_an_unknown_machine_is_not_found():
    assert machine("aws", "hpc6a.47xlarge") is None
    assert machine("gcp", "hpc6a.48xlarge") is None


@pytest.mark.parametrize(
    ("name", "cores", "memory_gib", "gpus"),
    [("c5.xlarge", 2, 8, 0), ("m5.24xlarge", 48, 384, 0), ("g4dn.12xlarge", 24, 192, 4), ("g6f.large", 1, 8, 1)],
)
def test_types_that_clusters_are_seldom_made_of_have_facts_too(name, cores, memory_gib, gpus):
    known = held("aws", name)
    assert (known.cores, known.memory_gib, known.gpu_count) == (cores, memory_gib, gpus)
    assert known.offered["us-east-1"]
    assert machine("aws", name) is known
    assert known in all_machines("aws")
    assert known not in machines("aws")
    assert known not in all_machines("gcp")


def test_all_linux_types_but_a_few_have_facts():
    without = {name for name in known_types() if machine("aws", name) is None}
    assert {name for name in without if not name.startswith("mac")} == {"p6e-gb200.36xlarge"}


def known_types() -> list[str]:
    families = json.loads((DATA / "known_types.json").read_text())
    return [f"{record['family']}.{size}" for record in families for size in record["sizes"]]


def test_a_type_can_be_known_without_facts():
    assert machine("aws", "mac2.metal") is None
    assert is_known_type("aws", "mac2.metal")
    assert not is_known_type("aws", "m5.lagre")
    assert not is_known_type("aws", "m5")


def test_previous_generations_are_known_by_name():
    assert is_previous_generation("aws", "c4.8xlarge")
    assert not is_previous_generation("aws", "hpc7a.96xlarge")
    assert not is_previous_generation("aws", "m6i.large")  # EC2 says so, but sells it like any other


@pytest.mark.parametrize(
    ("cloud", "wrong", "meant"),
    [
        ("aws", "hpc6a.48xlrage", "hpc6a.48xlarge"),
        ("aws", "HPC6A.48XLARGE", "hpc6a.48xlarge"),
        ("aws", "m5.lagre", "m5.large"),
        ("azure", "HB176rs_v4", "Standard_HB176rs_v4"),
        ("gcp", "h3-standrd-88", "h3-standard-88"),
    ],
)
def test_a_misspelt_name_finds_what_was_meant(cloud, wrong, meant):
    assert close_names(cloud, wrong)[0] == meant


@given(st.text(max_size=30))
def test_close_names_are_names(text):
    for cloud in ("aws", "azure", "gcp"):
        for name in close_names(cloud, text):
            assert machine(cloud, name) is not None or is_known_type(cloud, name)


def test_a_machine_is_one_object_and_can_be_a_key():
    assert held("aws", "hpc6a.48xlarge") is held("aws", "hpc6a.48xlarge")
    assert {held("aws", "hpc6a.48xlarge"): 16}[held("aws", "hpc6a.48xlarge")] == 16


def test_the_catalogue_loads_no_heavy_package():
    heavy = {"moto", "pulumi", "pydantic", "yaml"}
    code = f"import sys, hpc_components.catalog as c; c.machines(); print({heavy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
