"""Zones in descriptions and in Azure Resource Manager."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.catalog.zones import has_zones, regions, zone_mistake, zone_number
from hpc_components.catalog import machines, region_of_zone, zones

REGIONS = regions()
names = st.sampled_from(sorted(REGIONS))
words = st.one_of(
    st.text(max_size=12), st.from_regex(r"(east|west|north)us ?[1-4]?-?(az|zone)?-?[1-4a-c]?", fullmatch=True)
)


@given(names)
def test_every_zone_has_its_number_and_the_region_none(region):
    alone, *numbered = REGIONS[region]
    assert (alone, zone_number(alone, region)) == (region, None)
    assert [zone_number(zone, region) for zone in numbered] == [zone.rpartition("-")[2] for zone in numbered]
    assert bool(numbered) is has_zones(region)


def test_zones_are_found_by_the_core():
    assert zones("azure", "eastus") == ("eastus", "eastus-1", "eastus-2", "eastus-3")
    assert zones("azure", "northcentralus") == ("northcentralus",)
    assert region_of_zone("azure", "westeurope-2") == "westeurope"


@pytest.mark.parametrize("zone", ["1", "eastus1", "eastus-", "eastus-10", "eastus-0", "eastus2-1", "", "East US"])
def test_a_wrong_zone_is_an_error(zone):
    with pytest.raises(ValueError, match="is not a zone of eastus"):
        zone_number(zone, "eastus")


@pytest.mark.parametrize(
    ("word", "region", "remedy"),
    [
        ("1", "eastus", "write eastus-1"),
        ("eastus1", "eastus", "write eastus-1"),
        ("eastus-az3", "eastus", "write eastus-3"),
        ("eastus-a", "eastus", "write eastus-1"),
        ("zone 2", "eastus", "write eastus-2"),
        ("East US", "eastus", "write eastus for machines without a zone, or a zone: eastus-1, eastus-2, eastus-3"),
        ("EastUS", "eastus", "write eastus for machines without a zone, or a zone: eastus-1, eastus-2, eastus-3"),
        ("eastus-4", "eastus", "write one of eastus-1, eastus-2, eastus-3"),
        ("eastus2", "eastus", "write eastus-2 for zone 2 of eastus, or region: eastus2"),
        ("East US 2", "eastus", "write eastus-2 for zone 2 of eastus, or region: eastus2"),
        ("West Europe", "eastus", "write region: westeurope"),
        ("westeurope", "eastus", "write region: westeurope"),
        ("1", "northcentralus", "write northcentralus"),
        ("northcentralus-1", "northcentralus", "write northcentralus"),
    ],
)
def test_words_taken_for_zones_have_their_remedy(word, region, remedy):
    reason, said = zone_mistake(word, region) or ("", "")
    assert said == remedy
    assert reason


@pytest.mark.parametrize("word", ["eastus", "eastus-1", "", "use1-az1", "us-east-1a", "westeurope-1", "nonsense"])
def test_right_words_and_others_are_not_explained(word):
    assert zone_mistake(word, "eastus") is None


def test_a_region_that_is_not_known_has_no_zones():
    assert zone_mistake("1", "nowhere") is None
    assert not has_zones("nowhere")


@given(words, names)
def test_a_word_that_is_right_is_no_mistake_and_a_remedy_is_right(word, region):
    told = zone_mistake(word, region)
    if word in REGIONS[region]:
        assert told is None
    if told:
        for zone in re.findall(rf"\b{region}-\w+", told[1]):
            assert zone in REGIONS[region]


def test_machines_are_sold_in_regions_that_are_held():
    assert {region for each in machines("azure") for region in each.offered} <= REGIONS.keys()
