import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.aws.catalog.filesystems import ebs_type, ebs_types
from hpc_components.aws.catalog.volumes import VolumeOrder, most_iops, volume_refusals
from hpc_components.catalog.refusal import Why


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
    assert not [*volume_refusals(order)]


@pytest.mark.parametrize(
    ("order", "field", "why", "because_of", "ends"),
    [
        (VolumeOrder(type="gp9"), "type", Why.UNKNOWN, None, ("gp3", "standard")),
        (VolumeOrder(type="st1", size_gib=100), "size_gib", Why.NOT_SOLD, None, (125, 16384)),
        (VolumeOrder(type="gp3", size_gib=20.5), "size_gib", Why.NOT_SOLD, None, (1, 65536)),
        (VolumeOrder(type="st1", iops=100), "iops", Why.NOT_TAKEN, "type", None),
        (VolumeOrder(type="io1"), "iops", Why.MISSING, None, (100, 64_000)),
        (VolumeOrder(type="io1", size_gib=10), "iops", Why.MISSING, None, (100, 500)),
        (VolumeOrder(type="gp3", iops=2999), "iops", Why.NOT_SOLD, None, (3000, 80_000)),
        (VolumeOrder(type="gp3", size_gib=10, iops=5001), "iops", Why.NOT_SOLD, "size_gib", (3000, 5000)),
        (VolumeOrder(type="gp2", throughput=125), "throughput", Why.NOT_TAKEN, "type", None),
        (VolumeOrder(type="gp3", throughput=100), "throughput", Why.NOT_SOLD, None, (125, 2000)),
        (VolumeOrder(type="gp3", throughput=751), "throughput", Why.NOT_SOLD, "iops", (125, 750)),
    ],
)
def test_a_volume_that_ebs_refuses_names_the_field(order, field, why, because_of, ends):
    (refusal,) = volume_refusals(order)
    assert (refusal.field, refusal.why, refusal.because_of) == (field, why, because_of)
    assert ((refusal.allowed[0], refusal.allowed[-1]) if refusal.allowed else None) == ends


@given(type=st.sampled_from(ebs_types()), gib=st.integers(1, 70_000), iops=st.integers(1, 300_000))
def test_iops_that_are_not_refused_are_within_the_bounds_of_type_and_size(type, gib, iops):
    kind = ebs_type(type)
    assert kind is not None
    refused = any(
        refusal.field == "iops" for refusal in volume_refusals(VolumeOrder(type=type, size_gib=gib, iops=iops))
    )
    assert refused is not (kind.min_iops is not None and kind.min_iops <= iops <= most_iops(kind, gib))
