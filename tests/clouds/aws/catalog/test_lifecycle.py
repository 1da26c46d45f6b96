from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.aws.catalog.filesystems import s3_class
from hpc_components.aws.catalog.lifecycle import WARM_TO_COLD, lifecycle_refusals
from hpc_components.catalog.cold_storage import by_coldness
from hpc_components.catalog.refusal import Why


@pytest.mark.parametrize(
    ("archive", "expire"),
    [({}, None), ({}, 1), ({"standard_ia": 30, "deep_archive": 60}, 61), ({"glacier_ir": 0, "glacier": 90}, None)],
)
def test_ages_that_s3_takes_are_accepted(archive, expire):
    assert not [*lifecycle_refusals(archive, expire)]


@pytest.mark.parametrize(
    ("archive", "expire", "expected"),
    [
        ({"standard": 30}, None, ("standard", Why.UNKNOWN, None, [*WARM_TO_COLD])),
        ({"standard_ia": 29}, None, ("standard_ia", Why.NOT_SOLD, None, [30])),
        ({"glacier": 30.5}, None, ("glacier", Why.NOT_SOLD, None, [0])),
        ({"deep_archive": 30, "glacier": 30}, None, ("deep_archive", Why.NOT_TAKEN, "glacier", [])),
        ({"standard_ia": 30, "glacier": 45}, None, ("glacier", Why.NOT_SOLD, "standard_ia", [60])),
        ({}, 0, ("expire", Why.NOT_SOLD, None, [1])),
        ({"standard_ia": 30}, 30, ("expire", Why.NOT_TAKEN, "standard_ia", [])),
    ],
)
def test_ages_that_s3_refuses_are_refused(archive, expire, expected):
    (refusal,) = lifecycle_refusals(archive, expire)
    assert (refusal.field, refusal.why, refusal.because_of, [*refusal.allowed]) == expected


@given(st.dictionaries(st.sampled_from(WARM_TO_COLD), st.integers(0, 400), min_size=1))
def test_ages_that_are_not_refused_rise_and_are_paid_for(archive):
    if [*lifecycle_refusals(archive, None)]:
        return
    stages = by_coldness(archive, WARM_TO_COLD)
    for warm, cold in pairwise(stages):
        kept = s3_class(warm)
        assert kept
        assert archive[warm] + kept.min_days_kept <= archive[cold]
