import pytest
from catalog.present import present
from hypothesis import given
from hypothesis import strategies as st

from clouds.aws.lustre.steps import lustre_steps
from hpc_components.aws.lustre.capacities import (
    lustre_limit,
    lustre_sold,
    lustre_throughputs,
    lustre_versions,
    metadata_iops_steps,
    nearest_capacities,
)

KINDS = [
    ("scratch_1", None, False, "ssd"),
    ("scratch_2", None, False, "ssd"),
    ("persistent_1", 12, False, "hdd"),
    ("persistent_1", 40, False, "hdd"),
    ("persistent_1", 200, False, "ssd"),
    ("persistent_2", 125, False, "ssd"),
    ("persistent_2", 125, True, "ssd"),
    ("persistent_2", 1000, True, "ssd"),
]


@pytest.mark.parametrize(
    ("kind", "sold", "not_sold"),
    [
        (("scratch_1", None, False, "ssd"), [1200, 2400, 3600, 7200], [4800, 600]),
        (("scratch_2", None, False, "ssd"), [1200, 2400, 4800], [0, 1000, 3600, 3000]),
        (("persistent_1", 12, False, "hdd"), [6000, 12000], [1200, 1800]),
        (("persistent_1", 40, False, "hdd"), [1800, 3600], [1200, 6000]),
        (("persistent_2", 1000, False, "ssd"), [1200, 2400], [3600]),
        (("persistent_2", 125, True, "ssd"), [38400, 76800], [1200, 19200]),
        (("persistent_2", 250, True, "ssd"), [19200], [9600]),
        (("persistent_2", 500, True, "ssd"), [9600], [4800]),
        (("persistent_2", 1000, True, "ssd"), [4800], [1200, 2400]),
    ],
)
def test_a_lustre_kind_allows_its_capacities_alone(kind, sold, not_sold):
    deployment, throughput, efa, storage = kind
    steps = present(lustre_steps(deployment, throughput, efa, storage=storage))
    assert all(steps.allows(gib) for gib in sold)
    assert not any(steps.allows(gib) for gib in not_sold)


@pytest.mark.parametrize(
    "kind",
    [
        ("scratch_2", 200, False, "ssd"),
        ("persistent_2", None, False, "ssd"),
        ("persistent_2", 200, False, "ssd"),
        ("persistent_2", 12, False, "hdd"),
        ("persistent_1", 200, True, "ssd"),
        ("scratch_2", None, True, "ssd"),
    ],
)
def test_a_combination_unknown_to_fsx_is_not_found(kind):
    deployment, throughput, efa, storage = kind
    assert lustre_steps(deployment, throughput, efa, storage=storage) is None


def test_each_deployment_has_its_throughputs():
    assert lustre_throughputs("scratch_2") == ()
    assert lustre_throughputs("persistent_1") == (50, 100, 200)
    assert lustre_throughputs("persistent_1", storage="hdd") == (12, 40)
    assert lustre_throughputs("persistent_2") == (125, 250, 500, 1000)
    assert lustre_throughputs("persistent_2", storage="hdd") == ()


def test_each_deployment_has_its_lustre_versions():
    assert lustre_versions("persistent_2") == ("2.12", "2.15")
    assert "2.15" in lustre_versions("scratch_2")


@given(st.sampled_from(KINDS), st.integers(min_value=1, max_value=2_000_000))
def test_nearest_capacities_are_sold_and_enclose_the_wanted_one(kind, gib):
    deployment, throughput, efa, storage = kind
    steps = present(lustre_steps(deployment, throughput, efa, storage=storage))
    nearest = nearest_capacities(steps, gib)
    assert all(steps.allows(capacity) for capacity in nearest)
    if steps.allows(gib):
        assert nearest == (gib,)
        return
    assert nearest[-1] > gib
    assert not any(steps.allows(between) for between in range(gib, nearest[-1], 600))
    if len(nearest) == 2:
        assert nearest[0] < gib
    else:
        assert not any(steps.allows(below) for below in range(600, gib, 600))


def test_a_wrong_capacity_has_its_nearest_right_ones():
    scratch = present(lustre_steps("scratch_2", None))
    assert nearest_capacities(scratch, 1229) == (1200, 2400)
    assert nearest_capacities(scratch, 3000) == (2400, 4800)
    assert nearest_capacities(scratch, 100) == (1200,)
    assert nearest_capacities(present(lustre_steps("scratch_1", None)), 3000) == (2400, 3600)


def test_a_limit_is_found_by_name():
    assert lustre_limit("associations") == 8
    with pytest.raises(KeyError):
        lustre_limit("nothing")


def test_metadata_iops_come_in_steps():
    assert metadata_iops_steps()[:5] == (1500, 3000, 6000, 12000, 24000)
    assert metadata_iops_steps()[-1] == 192000
    assert 18000 not in metadata_iops_steps()


def test_lustre_deployments_have_their_regions():
    assert lustre_sold("scratch_2", "af-south-1")
    assert lustre_sold("persistent_1", "af-south-1")
    assert lustre_sold("persistent_2", "af-south-1") is None
