"""All sizes of a family cost the same per vCPU in a region: a price that differs is one of something else.

So are found prices with a Windows licence (0.046 USD a vCPU on Azure), those of another size, and slips of a digit.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from statistics import median

from hpc_components.azure.catalog.size_names import full_size
from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.machines import all_machines
from hpc_components.cloud import CLOUDS

TOLERANCE = 0.04
"""Prices have three or four digits, and a few sizes have a little less memory per vCPU."""

REGIONAL = (0.55, 1.6)
"""How a family's price may differ from what a region's other families make of their prices at home."""

MIXED_REGIONS = {"centralindia", "jioindiacentral", "jioindiawest"}
"""Where Azure sells AMD's processors for a third less than at home, and others for more."""

WHOLE_MACHINES = r"hpc7[ag]\..*"
"""Sizes with fewer cores that are the whole machine, at its price; on Azure the name says so."""

EXCEPTIONS = (
    (r"m1\.small", 0.5, 0.5, "half of a core"),
    (r"(c4|d2)\.8xlarge", 0.88, 0.9, "36 vCPUs at the price of 32"),
    (r"x8i\.(metal-96xl|96xlarge)", 1.15, 1.17, "as AWS lists it; no second source"),
    (r".*\.metal.*", 1, 1.11, "bare metal may be 6 or 10 % dearer"),
    (r"u-6tb1\.112xlarge", 0.55, 0.65, "twice the vCPUs with the same memory"),
    (r".*-lssd", 1, 1.15, "whole local disks of 375 GB: their number per vCPU is not the same in all sizes"),
    (r"c4d-\w+-2", 0.95, 0.99, "less memory per vCPU"),
    (r"Standard_NV36adms_A10_v5", 1.35, 1.45, "twice the memory"),
    (r"Standard_NC(16|64)as_T4_v3", 1, 1.11, "four GPUs cost less than four times one"),
    (r"n2-highmem-128", 0.9, 0.94, "less memory per vCPU"),
)
"""Names, how much of the family's price per vCPU they may cost, and why."""


def prices() -> Iterator[tuple[Machine, str, str, float]]:
    """Every price that the catalogue has: machine, region, purchase, USD an hour."""
    for cloud in CLOUDS:
        by_name = {each.name: each for each in all_machines(cloud)}
        for record in records("regional_prices", str(import_module(f"hpc_components.{cloud}.catalog").__file__)):
            for region, usd in record["usd"].items():
                yield by_name[record["name"]], region, "on_demand", usd
        for each in by_name.values():
            for price in each.prices:
                yield each, price["region"], price["purchase"], price["usd"]


def units(machine: Machine) -> float:
    """What a family's price is proportional to."""
    if machine.burstable:
        return machine.memory_gib
    if re.fullmatch(WHOLE_MACHINES, machine.name):
        return 1
    if machine.cloud == "azure" and full_size(machine.name) != machine.name:
        return vcpus_of_azure()[full_size(machine.name)]
    return machine.vcpus


@cache
def vcpus_of_azure() -> dict[str, int]:
    """All sizes of Azure."""
    return {each.name: each.vcpus for each in all_machines("azure")}


def kind(machine: Machine) -> str:
    """The machines that it is compared with; Google's families are of several ratios of memory to vCPUs."""
    return re.sub(r"-\d+g?(?=-|$)", "", machine.name) if machine.cloud == "gcp" else machine.family


def is_market_price(machine: Machine, purchase: str) -> bool:
    """Spot prices of EC2 follow each size's own market."""
    return machine.cloud == "aws" and purchase == "spot"


def outliers() -> Iterator[str]:
    """Every price that is not its family's; sizes with GPUs are compared with those of as many per vCPU."""
    families = defaultdict(list)
    for machine, region, purchase, usd in prices():
        if not is_market_price(machine, purchase):
            gpus_per_vcpu = round((machine.accelerator.count if machine.accelerator else 0) / machine.vcpus, 4)
            key = machine.cloud, kind(machine), gpus_per_vcpu, region, purchase
            families[key].append((usd / units(machine), machine.name))
    for key, sizes in families.items():
        usual = min([unit for unit, name in sizes if not exceptions(name)] or [unit for unit, _ in sizes])
        for unit, name in sizes:
            low, high = exceptions(name) or (1, 1)
            if not low * (1 - TOLERANCE) <= unit / usual <= high * (1 + TOLERANCE):
                yield f"{name} {key[3]} {key[4]}: {unit / usual:.2f} of what {key[1]} costs"


def exceptions(name: str) -> tuple[float, float] | None:
    """Bounds of a name that is excepted."""
    return next(((low, high) for pattern, low, high, _ in EXCEPTIONS if re.fullmatch(pattern, name)), None)


def test_sizes_of_a_family_have_one_price_per_vcpu() -> None:
    assert not sorted(outliers())


def regional_outliers() -> Iterator[str]:
    """Families that do not follow the others of a region, by what they cost in the region where most are sold."""
    units_of: defaultdict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for machine, region, purchase, usd in prices():
        if purchase == "on_demand":
            units_of[machine.cloud, kind(machine)][region].append(usd / units(machine))
    for cloud in CLOUDS:
        families = {name: regions for (own, name), regions in units_of.items() if own == cloud}
        known = {region for regions in families.values() for region in regions}
        home = max(sorted(known), key=lambda region: sum(region in regions for regions in families.values()))
        for region in known - MIXED_REGIONS:
            steps = {
                name: median(regions[region]) / median(regions[home])
                for name, regions in families.items()
                if {region, home} <= regions.keys()
            }
            for name, step in steps.items():
                if not REGIONAL[0] <= step / median(steps.values()) <= REGIONAL[1]:
                    yield f"{cloud} {name} in {region}: {step:.2f} of the price in {home}"


def test_families_follow_the_price_level_of_a_region() -> None:
    assert not sorted(regional_outliers())


def test_every_exception_is_needed() -> None:
    names = [each.name for cloud in CLOUDS for each in all_machines(cloud)]
    assert all(any(re.fullmatch(pattern, name) for name in names) for pattern, *_ in EXCEPTIONS)
