"""Limits of AWS other than those of machines, networks and file systems."""

import pytest
from catalog.present import present

from hpc_components.aws.buckets.offer import express_zones
from hpc_components.aws.catalog.limits import (
    image_gib,
    reserved_bucket_end,
    service_limit,
)
from hpc_components.aws.catalog.lustre_clients import lustre_client
from hpc_components.catalog import machine, operating_systems, zones


@pytest.mark.parametrize("region", ["us-east-1", "us-east-2", "us-west-2", "eu-north-1", "eu-west-1"])
def test_express_zones_are_zones_of_their_region(region):
    assert set(express_zones(region)) <= set(zones("aws", region))
    assert express_zones(region)


def test_no_express_zones_elsewhere():
    assert express_zones("eu-central-2") == ()


@pytest.mark.parametrize(("name", "end"), [("xn--data", "xn--"), ("data--x-s3", "--x-s3"), ("data", None)])
def test_a_reserved_bucket_suffix_is_found(name, end):
    assert reserved_bucket_end(name) == end


def test_images_have_a_size_for_each_system_that_nodes_can_have():
    for os in operating_systems():
        if os.status in ("default", "supported"):
            assert image_gib(os.name) is not None, os.name
    assert image_gib("ubuntu-24.04", machine("aws", "p5.48xlarge")) == (100, False)


def test_a_lustre_client_has_its_newest_kernel():
    assert present(lustre_client("ubuntu-24.04")).kernel == "6.17"
    assert present(lustre_client("rocky-9")).kernel == "5.14"
    assert present(lustre_client("al2023")).kernel is None
    assert lustre_client("debian-12") is None


def test_an_unknown_limit_is_an_error():
    with pytest.raises(KeyError):
        service_limit("tags.colour")
