"""Azure's machines: facts about each, and retirements."""

import pytest
from catalog.present import held, present
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.catalog.images import image_of, images
from hpc_components.azure.catalog.machines import is_previous_generation, retirement, type_names
from hpc_components.azure.catalog.quotas import counted_vcpus, machine_quota, regional_quota, service_quota
from hpc_components.azure.catalog.size_names import family, full_size, short_name
from hpc_components.azure.lustre_client.packages import lustre_client
from hpc_components.catalog import all_machines, machines, price, real_memory_mib

ALL = all_machines("azure")
USUAL = machines("azure")


def size(name: str):
    return held("azure", f"Standard_{name}")


@pytest.mark.parametrize(
    ("name", "cores", "gib", "interfaces", "gbps"),
    [
        ("HB120rs_v2", 120, 456, 1, 200), ("HB120-16rs_v3", 16, 456, 1, 200), ("HB176rs_v4", 176, 768, 1, 400),
        ("HB176-24rs_v4", 24, 768, 1, 400), ("HB368rs_v5", 368, 448, 4, 800), ("HB368-48rs_v5", 48, 448, 4, 800),
        ("HC44-16rs", 16, 352, 1, 100), ("HX176-96rs", 96, 1408, 1, 400), ("ND96asr_v4", 96, 900, 8, 1600),
        ("ND96isr_H100_v5", 96, 1900, 8, 3200), ("ND96isr_MI300X_v5", 96, 1850, 8, 3200),
    ],
)  # fmt: skip
def test_a_size_has_its_infiniband(name, cores, gib, interfaces, gbps):
    machine, fabric = size(name), present(size(name).fabric)
    assert (machine.cores, machine.memory_gib, machine.threads_per_core) == (cores, gib, 1)
    assert (fabric.kind, fabric.interfaces, fabric.gbps) == ("infiniband", interfaces, gbps)


@pytest.mark.parametrize(
    ("name", "gpus", "model"),
    [
        ("NC24ads_A100_v4", 1, "A100"), ("NC80adis_H100_v5", 2, "H100 NVL"), ("NC64as_T4_v3", 4, "T4"),
        ("NV72ads_A10_v5", 2, "A10"), ("ND96isr_H200_v5", 8, "H200"), ("ND96isr_MI300X_v5", 8, "MI300X"),
    ],
)  # fmt: skip
def test_a_size_has_its_gpus(name, gpus, model):
    assert size(name).gpu_count == gpus
    assert present(size(name).accelerator).model == model


@pytest.mark.parametrize(
    ("name", "cores", "threads", "arch"),
    [
        ("D8s_v6", 4, 2, "x86_64"), ("D8as_v6", 4, 2, "x86_64"), ("D8ps_v6", 8, 1, "arm64"),
        ("F8as_v6", 8, 1, "x86_64"),
        ("E64ads_v5", 32, 2, "x86_64"), ("FX96mds_v2", 48, 2, "x86_64"), ("NC64as_T4_v3", 64, 1, "x86_64"),
    ],
)  # fmt: skip
def test_a_size_has_its_cores_and_threads(name, cores, threads, arch):
    assert (size(name).cores, size(name).threads_per_core, size(name).arch) == (cores, threads, arch)


def test_memory_is_what_was_measured_or_less():
    measured = {"HC44rs": 354689, "NC24ads_A100_v4": 221446, "D64ps_v6": 257202, "F64as_v6": 257719}
    assert {name: real_memory_mib(size(name)) for name in measured} == measured
    # values of another tool and kernel, within the differences between kernels
    assert real_memory_mib(size("HB176rs_v4")) == int(773985 * 0.9998)
    assert sum(each.os_memory_mib is not None for each in ALL) > 180


def test_local_disks_are_those_that_nvme_shows():
    assert size("HC44rs").local_nvme_gb == 0  # its temporary disk is a SCSI one
    assert size("NC96ads_A100_v4").local_nvme_gb == 3841
    assert [size(f"D{cores}ds_v6").local_nvme_gb for cores in (2, 16, 96)] == [118, 945, 5669]


def test_where_it_is_sold_is_never_sure():
    assert not any("offered" in each.unsure for each in ALL)  # no price, not sold
    assert all(each.offered and not any(each.offered.values()) for each in ALL)


def test_a_part_of_a_machine_costs_and_counts_as_the_whole():
    parts = [each for each in ALL if full_size(each.name) != each.name]
    assert len(parts) > 20
    for part in parts:
        whole = held("azure", full_size(part.name))
        assert part.cores < whole.cores == counted_vcpus(part)
        assert (part.family, part.memory_gib, part.fabric) == (whole.family, whole.memory_gib, whole.fabric)
        assert present(price(part, "eastus", "on_demand")).usd == present(price(whole, "eastus", "on_demand")).usd
        assert machine_quota(part, "on_demand") == machine_quota(whole, "on_demand")
    assert counted_vcpus(size("D8s_v6")) == 8


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("HB176-96rs_v4", "HBv4"), ("HX176rs", "HX"), ("ND96isr_H100_v5", "NDH100v5"), ("ND96asr_v4", "NDv4"),
        ("NC24rs_v3", "NCv3"), ("NV36adms_A10_v5", "NVA10v5"), ("D4ads_v6", "Dadsv6"), ("E4-2s_v5", "Esv5"),
        ("FX96mds_v2", "FXmdsv2"), ("B2s", "Bs"), ("DS11-1_v2", "DSv2"), ("M416s_9_v2", "Ms9v2"),
    ],
)  # fmt: skip
def test_a_size_has_its_family(name, expected):
    assert family(f"Standard_{name}") == expected


def test_full_and_short_names_are_made_of_a_size():
    assert full_size("Standard_HB176-96rs_v4") == "Standard_HB176rs_v4"
    assert full_size("Standard_D4s_v5") == "Standard_D4s_v5"
    assert short_name("Standard_HB176-96rs_v4") == "hb176-96rs-v4"


@given(st.sampled_from(sorted(type_names())))
def test_every_name_has_a_family_and_a_full_size(name):
    assert family(name)
    assert family(full_size(name)) == family(name)
    assert full_size(full_size(name)) == full_size(name)


@pytest.mark.parametrize(
    ("name", "on", "past"),
    [
        ("HB120rs_v2", "2027-05-31", False), ("HC44-16rs", "2027-05-31", False), ("F72s_v2", "2028-11-15", False),
        ("NC6s_v3", "2025-09-30", True), ("NC24rs_v3", "2025-09-30", True), ("NV4as_v4", "2026-09-30", True),
        ("D2_v2", "2028-05-01", False),
    ],
)  # fmt: skip
def test_a_retired_size_is_known_with_its_date(name, on, past):
    found = present(retirement(f"Standard_{name}"))
    assert (found.on, found.past) == (on, past)
    assert is_previous_generation(f"Standard_{name}")


@pytest.mark.parametrize(
    "name", ["HB120rs_v3", "HB176rs_v4", "D2s_v5", "D2s_v6", "ND40rs_v2", "NC4as_T4_v3", "B2s_v2"]
)
def test_a_size_that_stays_is_not_retired(name):
    assert retirement(f"Standard_{name}") is None
    assert not is_previous_generation(f"Standard_{name}")


def test_a_successor_is_a_size_that_stays():
    for name in type_names():
        found = retirement(name)
        if found and found.successor:
            assert held("azure", found.successor)
            assert retirement(found.successor) is None


def test_nothing_retired_is_among_the_usual_ones():
    assert not [each.name for each in USUAL if (found := retirement(each.name)) and found.past]


def test_a_size_has_its_quota():
    assert present(machine_quota(size("HB176rs_v4"), "on_demand")).code == "standardHBv4Family"
    assert present(machine_quota(size("HB176rs_v4"), "on_demand")).default == 0
    assert present(machine_quota(size("D2s_v5"), "on_demand")).default == 20
    spot = {present(machine_quota(each, "spot")).key for each in USUAL}
    assert spot == {"lowPriorityCores"}
    assert (present(regional_quota("on_demand")).code, regional_quota("spot")) == ("cores", None)
    assert service_quota("public_addresses").unit == "addresses"


@pytest.mark.parametrize(
    ("os", "name", "urn"),
    [
        ("ubuntu-24.04", "D2s_v6", "Canonical:ubuntu-24_04-lts:server:24.04.202607140"),
        ("ubuntu-24.04", "D2ps_v6", "Canonical:ubuntu-24_04-lts:server-arm64:24.04.202607140"),
        ("ubuntu-24.04", "HB176rs_v4", "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072901"),
        ("ubuntu-24.04", "ND96isr_H100_v5", "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072901"),
        ("ubuntu-24.04", "NC40ads_H100_v5", "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072901"),
        ("ubuntu-24.04", "ND96isr_MI300X_v5", "microsoft-dsvm:ubuntu-hpc:2404-rocm:24.04.2026072801"),
        ("ubuntu-22.04", "HB176rs_v4", "microsoft-dsvm:ubuntu-hpc:2204:22.04.2026082801"),
        ("ubuntu-22.04", "ND40rs_v2", "microsoft-dsvm:ubuntu-hpc:2204-v100:latest"),
        ("debian-13", "HB176rs_v4", "Debian:debian-13:13-gen2:0.20260914.2601"),
        ("debian-13", "D2ps_v6", "Debian:debian-13:13-arm64:0.20260914.2601"),
    ],
)
def test_a_machine_has_its_public_image(os, name, urn):
    assert present(image_of(os, size(name))).id == urn


@pytest.mark.parametrize(
    ("os", "name"),
    [
        ("ubuntu-24.04", "NV36ads_A10_v5"),
        ("ubuntu-24.04", "ND40rs_v2"),
        ("debian-13", "NC24ads_A100_v4"),
        ("rhel-9", "D2s_v6"),
    ],
)
def test_an_image_that_nobody_publishes_is_not_found(os, name):
    assert image_of(os, size(name)) is None


def test_an_image_has_its_drivers_kernel_and_size():
    hpc = present(image_of("ubuntu-24.04", size("HB176rs_v4")))
    assert (hpc.fabric, hpc.kernel, hpc.gib, hpc.floating) == (True, "6.8", 64, False)
    assert {"ofed", "hpcx", "lustre", "nvidia"} <= hpc.software.keys()
    debian = present(image_of("debian-13", size("HB176rs_v4")))
    assert (debian.fabric, dict(debian.software)) == (False, {})
    assert {image.id for image in images() if image.floating} == {
        "microsoft-dsvm:ubuntu-hpc:2204-v100:latest", "microsoft-dsvm:ubuntu-hpc:2204-rocm:latest",
        "Debian:debian-12:12-gen2:latest", "Debian:debian-12:12-arm64:latest",
        "almalinux:almalinux-hpc:9-hpc-gen2:latest",
    }  # fmt: skip


def test_an_operating_system_has_its_lustre_client():
    assert present(lustre_client("ubuntu-24.04")).version == "2.17.0"
    assert lustre_client("debian-13") is None
