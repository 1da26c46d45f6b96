import pytest
from catalog.present import present
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.aws.disks.offer import VolumeOrder, refusals, volume_type, volume_types


@pytest.mark.parametrize(
    "order",
    [
        VolumeOrder(type="gp3", size_gib=64),
        VolumeOrder(type="gp3", size_gib=64, iops=4000, throughput=1000),
        VolumeOrder(type="io2", size_gib=64, iops=64_000),
        VolumeOrder(type="io2", iops=64_000),
        VolumeOrder(type="st1", size_gib=125),
        VolumeOrder(type="gp2"),
    ],
)
def test_a_volume_that_ebs_sells_is_accepted(order):
    assert not [*refusals(order)]


@pytest.mark.parametrize(
    ("order", "id", "field", "changes", "alternative", "conflicts_with"),
    [
        (VolumeOrder(type="gp9"), "006", "type", {"type": "gp3"}, {}, None),
        (VolumeOrder(type="st1", size_gib=100), "001", "size_gib", {"size_gib": 125}, {"type": "gp3"}, "type"),
        (VolumeOrder(type="st1", size_gib=20_000), "001", "size_gib", {"size_gib": 16384}, {}, "type"),
        (VolumeOrder(type="gp3", size_gib=20.5), "002", "size_gib", {"size_gib": 21}, {}, None),
        (VolumeOrder(type="st1", iops=100), "003", "iops", {"iops": None}, {"type": "gp3"}, "type"),
        (VolumeOrder(type="io1"), "003", "iops", {"iops": 3000}, {"type": "gp3"}, "type"),
        (VolumeOrder(type="io1", size_gib=10), "003", "iops", {"iops": 500}, {"type": "gp3"}, "type"),
        (VolumeOrder(type="gp3", iops=2999), "004", "iops", {"iops": 3000}, {}, "type"),
        (
            VolumeOrder(type="gp3", size_gib=10, iops=5001),
            "004",
            "iops",
            {"iops": 5000},
            {"size_gib": 11},
            "size_gib",
        ),
        (VolumeOrder(type="gp2", throughput=125), "005", "throughput", {"throughput": None}, {"type": "gp3"}, "type"),
        (VolumeOrder(type="gp3", throughput=100), "005", "throughput", {"throughput": 125}, {}, "type"),
        (VolumeOrder(type="gp3", throughput=751), "005", "throughput", {"iops": 3004}, {}, "iops"),
        (VolumeOrder(type="st1", root=True), "006", "type", {"type": "gp3"}, {}, None),
    ],
)
def test_a_volume_that_ebs_refuses_names_the_field_and_the_remedy(
    order, id, field, changes, alternative, conflicts_with
):
    (refusal,) = refusals(order)
    assert (refusal.limit.id, refusal.field) == (f"HPC-EBS-{id}", field)
    assert (dict(refusal.changes), dict(refusal.alternative)) == (changes, alternative)
    assert refusal.conflicts_with == conflicts_with


@given(type=st.sampled_from(volume_types()), gib=st.integers(1, 70_000), iops=st.integers(1, 300_000))
def test_iops_that_are_not_refused_are_within_the_bounds_of_type_and_size(type, gib, iops):
    kind = volume_type(type)
    assert kind is not None
    refused = any(refusal.field == "iops" for refusal in refusals(VolumeOrder(type=type, size_gib=gib, iops=iops)))
    assert refused is not (kind.min_iops is not None and kind.min_iops <= iops <= kind.most_iops(gib))


def test_a_volume_type_has_its_limits():
    gp3 = present(volume_type("gp3"))
    assert (gp3.min_iops, gp3.iops_per_gib, gp3.min_mibs, gp3.mibs_per_iops) == (3000, 500, 125, 0.25)
    assert present(volume_type("io2")).max_iops == 256_000
    assert present(volume_type("st1")).min_gib == 125
    assert present(volume_type("st1")).max_iops is None
    assert volume_type("gp9") is None
