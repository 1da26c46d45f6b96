"""Machine types of Google Cloud: facts about each series, and their consistency."""

import re

import pytest
from catalog.present import held, present

from hpc_components.catalog import (
    all_machines,
    is_known_type,
    machines,
    price,
    quota,
    real_memory_mib,
    regions,
    zones,
    zones_offering,
)
from hpc_components.catalog.clouds import catalog_of
from hpc_components.gcp.catalog.machines import family, live_migrates
from hpc_components.gcp.catalog.quotas import counted_vcpus, project_quotas, quota_dimension, service_quota
from hpc_components.gcp.catalog.zones import region_of, zone_letter, zone_mistake

NO_SMT = {"h3", "h4d", "c4a", "t2a", "t2d"}


@pytest.mark.parametrize(
    ("name", "cores", "sockets", "memory_mib"),
    [
        # The toolkit's own figures (gcp.md d): Sockets x CoresPerSocket and RealMemory.
        ("h3-standard-88", 88, 2, 349_488),
        ("h4d-standard-192", 192, 2, 715_280),
        ("h4d-highmem-192", 192, 2, 1_478_672),
        ("c2-standard-60", 30, 2, 238_160),
        ("c2d-standard-112", 56, 2, 444_912),
        ("c3-standard-88", 44, 2, 349_488),
        ("c3-standard-176", 88, 4, 699_376),
        ("a2-highgpu-8g", 48, 1, 675_520),
        ("a3-highgpu-8g", 104, 2, 1_860_368),
        ("a3-ultragpu-8g", 112, 2, 2_933_888),
        ("g2-standard-96", 48, 1, 381_296),
    ],
)
def test_slurm_is_told_cores_sockets_and_memory(name, cores, sockets, memory_mib):
    known = held("gcp", name)
    assert (known.cores, known.sockets, real_memory_mib(known)) == (cores, sockets, memory_mib)
    assert "os_memory_mib" in known.unsure


def test_the_series_that_a_cluster_is_made_of_are_all_there():
    usual = {each.name for each in machines("gcp")}
    assert {
        "h3-standard-88", "h4d-standard-192", "h4d-highmem-192", "h4d-highmem-192-lssd", "c2-standard-60",
        "c2d-standard-112", "c3-standard-176", "c3-highcpu-176", "c3-highmem-88", "c3-standard-88-lssd",
        "c3d-standard-360", "c4-standard-288", "c4d-standard-384", "c4a-standard-72", "n2-standard-4",
        "e2-standard-4", "a3-megagpu-8g", "a4-highgpu-8g",
        *(f"a2-{kind}-{count}g" for kind in ("highgpu", "ultragpu") for count in (1, 2, 4, 8)),
        *(f"g2-standard-{vcpus}" for vcpus in (4, 8, 12, 16, 24, 32, 48, 96)),
    } <= usual  # fmt: skip
    others = {each.name for each in all_machines("gcp")} - usual
    assert {"a3-edgegpu-8g", "t2a-standard-48", "n2d-highmem-96", "c3-standard-4"} <= others
    assert not [name for name in (*usual, *others) if name.endswith("metal")]


def test_a_series_has_its_threads_per_core():
    for each in all_machines("gcp"):
        single = each.family in NO_SMT or each.vcpus == 1
        assert list(each.valid_threads_per_core) == ([1] if single else [1, 2]), each.name
        assert (each.arch == "arm64") == (each.family in ("c4a", "t2a")), each.name


def test_a_name_says_vcpus_and_gpus():
    for each in all_machines("gcp"):
        if match := re.search(r"-(\d+)g(?:-|$)", each.name):
            assert present(each.accelerator).count == int(match[1]), each.name
        elif match := re.search(r"-(\d+)(?:-lssd)?$", each.name):
            assert each.vcpus == int(match[1]), each.name
    l4s = {each.name: each.gpu_count for each in machines("gcp") if each.family == "g2"}
    assert [l4s[f"g2-standard-{vcpus}"] for vcpus in (4, 12, 16, 24, 32, 48, 96)] == [1, 1, 1, 2, 1, 4, 8]


def test_local_disks_are_those_of_375_gb_that_a_machine_comes_with():
    for each in all_machines("gcp"):
        bundled = each.name.endswith("-lssd") or each.family in ("a3", "a4") or "ultragpu" in each.name
        bundled = bundled and not each.name.endswith("-nolssd")
        assert bool(each.local_nvme_gb) == bundled, each.name
        assert each.local_nvme_gb % 375 == 0, each.name
    sizes = {
        "h4d-highmem-192-lssd": 3750,
        "c3-standard-176-lssd": 12000,
        "a2-ultragpu-8g": 3000,
        "a3-highgpu-8g": 6000,
    }
    assert {name: held("gcp", name).local_nvme_gb for name in sizes} == sizes


def test_h3_and_a4_are_not_bought_like_others():
    assert not held("gcp", "h3-standard-88").spot
    assert held("gcp", "a4-highgpu-8g").usage == ["spot"]
    for name in ("h3-standard-88", "a3-ultragpu-8g", "a4-highgpu-8g"):
        assert "usage" in held("gcp", name).unsure


def test_a_rare_machine_has_few_zones():
    assert zones_offering(held("gcp", "h3-standard-88"), "us-central1") == ("us-central1-a",)
    assert zones_offering(held("gcp", "h4d-standard-192"), "us-central1") == ("us-central1-a", "us-central1-b")
    assert zones_offering(held("gcp", "h4d-standard-192"), "us-west4") == ()  # sold there; in which zone is not known
    assert zones_offering(held("gcp", "a3-ultragpu-8g"), "europe-west1") == ("europe-west1-b",)


def test_a_machine_has_the_price_of_its_region():
    h3 = held("gcp", "h3-standard-88")
    here, there = present(price(h3, "us-central1", "on_demand")), present(price(h3, "europe-west4", "on_demand"))
    assert (here.usd, there.exact_region, there.unsure) == (4.9236, True, False)
    assert there.usd > here.usd
    h4d = present(price(held("gcp", "h4d-standard-192"), "europe-west4", "on_demand"))
    assert (h4d.usd, h4d.exact_region, h4d.unsure) == (8.20529, True, True)  # of a file without a date
    spot = present(price(held("gcp", "c3-standard-88"), "us-central1", "spot"))
    assert spot.unsure
    assert price(held("gcp", "a4-highgpu-8g"), "us-central1", "on_demand") is None


def test_regional_prices_are_of_regions_that_sell_the_type_and_near_one_another():
    regional = catalog_of("gcp").regional_price
    for each in all_machines("gcp"):
        usd = [found["usd"] for region in regions("gcp") if (found := regional(each.name, region))]
        assert all(region in each.offered for region in regions("gcp") if regional(each.name, region)), each.name
        assert not usd or max(usd) < 2.5 * min(usd), each.name  # AMD's in asia-south1 cost half of what others do


def test_a_machine_with_local_disks_costs_more_than_one_without():
    regional, compared = catalog_of("gcp").regional_price, 0
    for each in all_machines("gcp"):
        for region in regions("gcp") if each.name.endswith("-lssd") else ():
            with_disks, without = regional(each.name, region), regional(each.name.removesuffix("-lssd"), region)
            if with_disks and without:
                assert with_disks["usd"] > 1.03 * without["usd"], (each.name, region)
                compared += 1
    assert compared > 500


def test_every_type_with_facts_is_a_known_name_and_others_are_known_too():
    assert all(is_known_type("gcp", each.name) for each in all_machines("gcp"))
    assert is_known_type("gcp", "m3-ultramem-32")
    assert not is_known_type("gcp", "h3-standard-96")


@pytest.mark.parametrize(
    ("name", "code", "spot", "unit", "counted"),
    [
        ("c2-standard-60", "C2_CPUS", "PREEMPTIBLE_CPUS", "vCPU", 60),
        ("h4d-standard-192", "CPUS_PER_VM_FAMILY vm_family=H4D", "PREEMPTIBLE_CPUS", "vCPU", 192),
        ("h3-standard-88", "CPUS_PER_VM_FAMILY vm_family=H3", None, "vCPU", 88),
        ("a2-ultragpu-8g", "NVIDIA_A100_80GB_GPUS", "PREEMPTIBLE_NVIDIA_A100_80GB_GPUS", "GPU", 8),
        ("g2-standard-96", "NVIDIA_L4_GPUS", "PREEMPTIBLE_NVIDIA_L4_GPUS", "GPU", 8),
        (
            "a3-ultragpu-8g",
            "GPUS_PER_GPU_FAMILY gpu_family=NVIDIA_H200",
            "PREEMPTIBLE_GPUS_PER_GPU_FAMILY gpu_family=NVIDIA_H200",
            "GPU",
            8,
        ),
    ],
)
def test_a_machine_has_its_quota_of_old_style_or_new(name, code, spot, unit, counted):
    known = held("gcp", name)
    found = present(quota(known, "on_demand"))
    assert (found.code, found.unit, found.default, counted_vcpus(known)) == (code, unit, None, counted)
    of_spot = quota(known, "spot")
    assert (of_spot.code if of_spot else None) == spot


def test_every_machine_has_a_quota_for_each_way_it_is_sold():
    for each in all_machines("gcp"):
        assert quota(each, "on_demand") is not None, each.name
        assert (quota(each, "spot") is not None) == each.spot, each.name


def test_machines_count_against_quotas_of_the_project():
    assert [(q.key, count) for q, count in project_quotas(held("gcp", "a3-highgpu-8g"), "on_demand")] == [
        ("CPUS_ALL_REGIONS", 208),
        ("GPUS_ALL_REGIONS", 8),
    ]
    assert [q.key for q, _ in project_quotas(held("gcp", "c3-standard-88"), "spot")] == []
    assert service_quota("networks").code == "NETWORKS"
    with pytest.raises(KeyError):
        service_quota("nothing")


def test_a_quota_is_read_with_its_dimension():
    assert quota_dimension("CPUS_PER_VM_FAMILY vm_family=H4D") == ("CPUS_PER_VM_FAMILY", "vm_family", "H4D")
    assert quota_dimension("N2_CPUS") is None


def test_only_some_machines_can_migrate_live():
    assert live_migrates(held("gcp", "c3-standard-88"))
    assert not any(
        live_migrates(held("gcp", name)) for name in ("h3-standard-88", "h4d-standard-192", "g2-standard-4")
    )
    assert family("h4d-highmem-192-lssd") == "h4d"


def test_every_zone_begins_with_its_region():
    for region in regions("gcp"):
        assert zones("gcp", region)
        for zone in zones("gcp", region):
            assert f"{region_of(zone)}-{zone_letter(zone)}" == zone
            assert region_of(zone) == region


@pytest.mark.parametrize(
    ("word", "remedy"),
    [
        ("us-central1", "use one of us-central1-a, us-central1-b, us-central1-c, us-central1-f"),
        ("Iowa", "use one of us-central1-a, us-central1-b, us-central1-c, us-central1-f"),
        ("b", "write us-central1-b"),
        ("us-central1b", "write us-central1-b"),
        ("us-central1-2", "write us-central1-b"),
        ("zone c", "write us-central1-c"),
        ("us-central1-e", "use one of us-central1-a, us-central1-b, us-central1-c, us-central1-f"),
    ],
)
def test_a_wrong_zone_has_its_remedy(word, remedy):
    _, said = present(zone_mistake(word, "us-central1"))
    assert said == remedy


def test_a_zone_of_an_unknown_region_is_accepted():
    assert zone_mistake("us-central1-a", "us-central1") is None
    assert zone_mistake("europe-west4-a", "us-central1") is None  # the core says whose zone it is
    assert zone_mistake("a", "mars-central1") is None
