"""Every cloud's catalogue keeps the contract."""

import pytest

from hpc_components.catalog import (
    all_machines,
    is_known_type,
    machine,
    machines,
    price,
    quota,
    region_of_zone,
    regions,
    regions_offering,
    zones,
    zones_offering,
)
from hpc_components.catalog.clouds import catalog_of
from hpc_components.cloud import CLOUDS, UnknownCloudError, cloud_named


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_cloud_is_called_as_its_line_says(cloud):
    found = cloud_named(cloud)
    assert (found.name, found.package) == (cloud, CLOUDS[cloud])
    assert found.title


def test_an_unknown_cloud_is_an_error():
    with pytest.raises(UnknownCloudError):
        machine("nowhere", "hpc6a.48xlarge")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_machines_are_of_their_cloud_and_found_by_name(cloud):
    held = all_machines(cloud)
    assert machines(cloud)
    assert len({each.name for each in held}) == len(held)
    for each in held:
        assert each.cloud == cloud
        assert each.family
        assert each.name != each.family
        assert machine(cloud, each.name) is each
        assert is_known_type(cloud, each.name)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_machines_are_sold_in_regions_and_zones_that_are_known(cloud):
    for each in all_machines(cloud):
        for region in regions_offering(each):
            assert region in regions(cloud)
            for zone in zones_offering(each, region):
                assert zone in zones(cloud, region)
                assert region_of_zone(cloud, zone) == region


@pytest.mark.parametrize("cloud", CLOUDS)
def test_some_machines_have_a_price_and_a_quota(cloud):
    usual = machines(cloud)
    assert any(price(each, next(iter(each.offered)), "on_demand") for each in usual)
    assert any(quota(each, "on_demand") for each in usual)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_name_without_its_prefix_is_part_of_it(cloud):
    for each in machines(cloud):
        assert each.name.lower().endswith(catalog_of(cloud).without_prefix(each.name.lower()))
