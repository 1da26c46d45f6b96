import dataclasses
import json
from pathlib import Path

import pytest

import hpc_components.aws.catalog
from hpc_components.aws.catalog.prices import service_price
from hpc_components.aws.lustre.capacities import lustre_throughputs
from hpc_components.catalog import price

from .present import held, present

# Dollars per core and hour, as published comparisons of these machines have them.
PER_CORE = [
    ("aws", "hpc6a.48xlarge", "us-east-2", 0.0300),
    ("aws", "hpc7a.96xlarge", "us-east-2", 0.0375),
    ("aws", "hpc8a.96xlarge", "us-east-2", 0.0413),
    ("aws", "hpc6id.32xlarge", "us-east-2", 0.0891),
    ("aws", "hpc7g.16xlarge", "us-east-1", 0.0263),
    ("azure", "Standard_HB120rs_v3", "eastus", 0.0300),
    ("azure", "Standard_HB176rs_v4", "eastus", 0.0409),
    ("azure", "Standard_HB368rs_v5", "eastus", 0.0538),
    ("azure", "Standard_HX176rs", "eastus", 0.0491),
    ("gcp", "h3-standard-88", "us-central1", 0.0560),
    ("gcp", "h4d-standard-192", "us-central1", 0.0409),
    ("gcp", "c2d-standard-112", "us-central1", 0.0908),
]


@pytest.mark.parametrize(("cloud", "name", "region", "per_core"), PER_CORE)
def test_a_machine_has_its_price_per_core_hour(cloud, name, region, per_core):
    known = held(cloud, name)
    found = present(price(known, region, "on_demand"))
    assert found.exact_region
    assert found.unit == "USD/hour"
    assert found.usd / known.cores == pytest.approx(per_core, abs=0.00006)


def test_a_price_of_another_region_says_so():
    found = present(price(held("aws", "r8i.xlarge"), "us-east-2", "on_demand"))
    assert (found.usd, found.region, found.exact_region) == (0.27784, "us-east-1", False)


@pytest.mark.parametrize(
    ("name", "region", "usd"),
    [
        ("c6i.32xlarge", "eu-north-1", 5.824),
        ("c6i.large", "eu-north-1", 0.091),
        ("g5.48xlarge", "eu-north-1", 17.27564),
        ("c7i.48xlarge", "us-east-2", 8.568),
        ("hpc7a.96xlarge", "eu-north-1", 7.7252),
    ],
)
def test_a_regional_price_is_known_and_said_to_be_unsure(name, region, usd):
    found = present(price(held("aws", name), region, "on_demand"))
    assert (found.usd, found.region, found.exact_region, found.unsure) == (usd, region, True, True)


def test_what_is_derived_from_another_size_says_so():
    small, read = (
        present(price(held("aws", name), "eu-north-1", "on_demand")) for name in ("c6i.large", "c6i.32xlarge")
    )
    assert small.source.startswith("derived: us-east-1's price times that of c6i.32xlarge")
    assert read.source.startswith("skypilot-catalog v9")


def test_the_stacks_regions_have_prices_of_their_own():
    for name in ("c6i.xlarge", "hpc6a.48xlarge", "c7i.48xlarge"):
        assert present(price(held("aws", name), "us-east-2", "on_demand")).exact_region
    for name in ("m7i.2xlarge", "m7i.xlarge", "g6.48xlarge", "g5.48xlarge", "c7i.48xlarge"):
        assert present(price(held("aws", name), "eu-north-1", "on_demand")).exact_region


def test_the_price_of_the_region_itself_comes_first():
    base = held("aws", "c6i.xlarge")
    there = {**base.prices[0], "region": "eu-west-1", "usd": 0.2}
    both = dataclasses.replace(base, prices=[*base.prices, there])
    found = present(price(both, "eu-west-1", "on_demand"))
    assert (found.usd, found.region, found.exact_region) == (0.2, "eu-west-1", True)


def test_a_derived_spot_price_is_unsure():
    assert present(price(held("aws", "c6i.xlarge"), "us-east-1", "spot")).unsure
    assert not present(price(held("aws", "c6i.xlarge"), "us-east-1", "on_demand")).unsure
    assert present(price(held("aws", "hpc6a.48xlarge"), "us-east-2", "on_demand")).unsure  # only its year is known


def test_what_is_not_sold_has_no_price():
    assert price(held("aws", "p5e.48xlarge"), "us-east-2", "on_demand") is None
    assert price(held("aws", "hpc6a.48xlarge"), "us-east-2", "spot") is None
    assert price(held("aws", "p5.48xlarge"), "us-east-1", "capacity_block") is None


def test_all_sizes_of_hpc7a_have_one_price():
    sizes = ("12xlarge", "24xlarge", "48xlarge", "96xlarge")
    assert {present(price(held("aws", f"hpc7a.{size}"), "us-east-2", "on_demand")).usd for size in sizes} == {7.2}


def test_a_service_has_its_price_by_region():
    nat = present(service_price("nat_gateway.hour", "us-east-2"))
    assert (nat.usd, nat.unit, nat.region, nat.exact_region) == (0.045, "USD/hour", "us-east-1", False)
    assert present(service_price("nat_gateway.hour", "us-east-1")).exact_region
    assert present(service_price("ebs.gp3.storage", "us-east-1")).unit == "USD/GiB-month"
    assert service_price("nothing", "us-east-1") is None


def test_every_kind_of_lustre_has_a_price():
    for deployment, storage in (("persistent_1", "ssd"), ("persistent_1", "hdd"), ("persistent_2", "ssd")):
        usd = [
            present(service_price(f"lustre.{deployment}.{storage}.{throughput}", "us-east-1")).usd
            for throughput in lustre_throughputs(deployment, storage=storage)
        ]
        assert usd == sorted(usd)
    assert present(service_price("lustre.scratch_2", "us-east-1")).usd == 0.14


def test_what_is_from_memory_or_second_hand_is_unsure():
    path = Path(hpc_components.aws.catalog.__file__).with_name("data") / "prices.json"
    for record in json.loads(path.read_text()):
        if "memory" in record["source"] or "second hand" in record["source"]:
            assert record["unsure"] is True, record["item"]
        assert record["unit"].startswith("USD/"), record["item"]
        assert record["usd"] >= 0, record["item"]
