"""The machines most like another one: the order, and the words that say why."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog.browse import Filter
from hpc_components.catalog.machines import is_previous_generation, machines
from hpc_components.catalog.similar_machines import find_like, machine_called

from .present import held, present

wanted = st.sampled_from(machines())


def like(name: str, cloud: str | None = None, **among) -> list[str]:
    return [
        each.offer.machine.name for each in find_like(present(machine_called(name)), Filter(cloud=cloud, **among))
    ]


@pytest.mark.parametrize(
    ("name", "cloud", "first"),
    [
        ("hpc6a.48xlarge", "azure", "Standard_HB120rs_v3"),
        ("hpc7a.96xlarge", "azure", "Standard_HB176rs_v4"),
        ("Standard_HB176rs_v4", "aws", "hpc7a.96xlarge"),
        ("p5.48xlarge", "azure", "Standard_ND96isr_H100_v5"),
        ("p4d.24xlarge", "azure", "Standard_ND96asr_v4"),
        ("Standard_ND96isr_H100_v5", "aws", "p5.48xlarge"),
        ("c7g.4xlarge", "azure", "Standard_D16ps_v6"),
        ("h4d-highmem-192-lssd", "azure", "Standard_HX176rs"),
        ("Standard_HB176rs_v4", "gcp", "h4d-standard-192"),
        ("hpc6a.48xlarge", "gcp", "h4d-standard-192"),
        ("p5.48xlarge", "gcp", "a3-megagpu-8g"),
        ("p5en.48xlarge", "gcp", "a3-ultragpu-8g"),
        ("g6.48xlarge", "gcp", "g2-standard-96"),
        ("h3-standard-88", "azure", "Standard_F64as_v6"),
    ],
)
def test_the_nearest_machine_comes_first(name, cloud, first):
    assert like(name, cloud)[0] == first


def test_the_reasons_compare_cores_fabric_and_price():
    (first, second, third, *_) = find_like(held("aws", "hpc6a.48xlarge"), Filter(cloud="azure"))
    assert first.why == (
        "120 cores for 96",
        "3.8 GiB per core for 4",
        "200 Gbit/s IB HDR for 100 Gbit/s EFA",
        "$0.0300 per core-hour (the same)",
    )
    assert second.why[0] == "96 cores (the same)"
    assert second.why[-1] == "$0.0375 per core-hour for $0.0300"
    assert (third.offer.machine.name, third.why[-1]) == ("Standard_HB120rs_v2", "previous generation")


def test_the_reasons_compare_accelerators_and_fabric():
    first = find_like(held("aws", "p5.48xlarge"), Filter(cloud="azure"))[0]
    assert first.why[0] == "8 x H100 (the same)"
    others = find_like(held("aws", "g6.48xlarge"), Filter(cloud="azure"))
    assert "no fabric for 100 Gbit/s EFA" in {why for each in others for why in each.why}


@given(wanted)
def test_what_is_alike_is_another_machine_of_the_same_kind(machine):
    found = find_like(machine, Filter())
    assert 0 < len(found) <= 5
    assert [each.distance for each in found] == sorted(each.distance for each in found)
    for each in found:
        other = each.offer.machine
        assert other is not machine
        assert other.arch == machine.arch
        assert (other.accelerator is None) == (machine.accelerator is None)
        assert 0 <= each.distance < math.inf
        assert json.loads(json.dumps(each.to_dict(), allow_nan=False))["why"] == list(each.why)


@given(wanted)
def test_who_has_a_fabric_is_like_who_has_one(machine):
    if machine.accelerator is None and machine.has_fabric:
        assert all(each.offer.machine.has_fabric for each in find_like(machine, Filter()))


def test_it_is_asked_among_the_machines_of_a_filter():
    assert like("hpc6a.48xlarge", "azure", region="westeurope")[0] == "Standard_HB120rs_v3"
    assert like("hpc6a.48xlarge", "azure", region="swedencentral")[0] == "Standard_HB176rs_v4"
    assert like("hpc6a.48xlarge", "azure", min_cores=1000) == []


def test_a_name_is_found_on_any_cloud_whatever_its_case_and_prefix():
    assert (
        machine_called("HB176RS_V4") is machine_called("standard_hb176rs_v4") is held("azure", "Standard_HB176rs_v4")
    )
    assert machine_called("hpc6a.48xlarge") is held("aws", "hpc6a.48xlarge")
    assert machine_called("c5.24xlarge") is held("aws", "c5.24xlarge")  # not one of the usual ones
    assert machine_called("hpc6a") is None


def test_of_equal_ones_the_cheaper_core_is_nearer():
    found = {
        each.offer.machine.name: each
        for each in find_like(held("azure", "Standard_D8s_v5"), Filter(cloud="azure", name="D8"))
    }
    cheap, dear = found["Standard_D8as_v6"], found["Standard_D8s_v6"]
    assert (present(cheap.offer.price).usd < 0.384, cheap.distance) == (True, 0)
    assert dear.distance == pytest.approx(math.log(present(dear.offer.price).usd / 0.384))


def test_one_that_is_going_comes_after_its_successor():
    names = like("hpc6a.48xlarge", "azure")
    old = [name for name in names if is_previous_generation("azure", name)]
    assert old
    assert names.index("Standard_HB120rs_v3") < names.index(old[0])
