"""What FSx for Lustre sells: rules, arguments of the component and input checks all ask this one place."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clouds.aws.lustre_steps import lustre_steps
from hpc_components.aws.catalog.filesystems import lustre_deployments, lustre_throughputs
from hpc_components.aws.catalog.lustre import LustreOrder, is_link_path, link_paths_overlap, lustre_refusals
from hpc_components.catalog.refusal import Why

SCRATCH: dict[str, Any] = {"deployment": "scratch_2", "size_gib": 1200}
PERSISTENT: dict[str, Any] = {"deployment": "persistent_2", "throughput": 250, "size_gib": 2400}
HARD_DISKS: dict[str, Any] = {
    "deployment": "persistent_1", "storage": "hdd", "throughput": 12, "size_gib": 6000, "drive_cache": "read"
}  # fmt: skip


def refused(**order: Any) -> list[tuple[str, Why, str | None, list[Any]]]:
    found = lustre_refusals(LustreOrder(**order))
    return [(one.field, one.why, one.because_of, [*one.allowed]) for one in found]


@pytest.mark.parametrize("order", [SCRATCH, PERSISTENT, HARD_DISKS])
def test_an_order_that_fsx_sells_is_accepted(order):
    assert refused(**order) == []


DAYS = [*range(1, 91)]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (
            SCRATCH | {"deployment": "scratch_3"},
            ("deployment", Why.UNKNOWN, None, ["scratch_1", "scratch_2", "persistent_1", "persistent_2"]),
        ),
        (SCRATCH | {"size_gib": None}, ("size_gib", Why.MISSING, None, [1200])),
        (SCRATCH | {"size_gib": 3000}, ("size_gib", Why.NOT_SOLD, None, [2400, 4800])),
        (SCRATCH | {"size_gib": 1200.5}, ("size_gib", Why.NOT_SOLD, None, [1200])),
        (SCRATCH | {"throughput": 200}, ("throughput", Why.NOT_TAKEN, "deployment", [])),
        (PERSISTENT | {"throughput": None}, ("throughput", Why.MISSING, None, [125, 250, 500, 1000])),
        (PERSISTENT | {"throughput": 200}, ("throughput", Why.NOT_SOLD, None, [125, 250, 500, 1000])),
        (PERSISTENT | {"drive_cache": "read"}, ("drive_cache", Why.NOT_TAKEN, "storage", [])),
        (HARD_DISKS | {"drive_cache": None}, ("drive_cache", Why.MISSING, None, ["none", "read"])),
        (HARD_DISKS | {"deployment": "persistent_2"}, ("storage", Why.NOT_SOLD, "deployment", ["ssd"])),
        (SCRATCH | {"efa": True}, ("efa", Why.NOT_TAKEN, "deployment", ["persistent_2"])),
        (PERSISTENT | {"efa": True}, ("size_gib", Why.NOT_SOLD, None, [19200])),
        (SCRATCH | {"kms_key": True}, ("kms_key", Why.NOT_TAKEN, "deployment", [])),
        (SCRATCH | {"metadata_iops": 12000}, ("metadata_iops", Why.NOT_TAKEN, "deployment", [])),
        (PERSISTENT | {"metadata_iops": 18000}, ("metadata_iops", Why.NOT_SOLD, None, [12000, 24000])),
        (SCRATCH | {"backup_days": 7}, ("backup_days", Why.NOT_TAKEN, "deployment", [])),
        (PERSISTENT | {"backup_days": 7, "links": 1}, ("backup_days", Why.NOT_TAKEN, "links", [])),
        (PERSISTENT | {"backup_days": 91}, ("backup_days", Why.NOT_SOLD, None, DAYS)),
        (PERSISTENT | {"backup_days": 7.5}, ("backup_days", Why.NOT_SOLD, None, DAYS)),
        ({"deployment": "scratch_1", "size_gib": 1200, "links": 1}, ("links", Why.NOT_TAKEN, "deployment", [])),
        (SCRATCH | {"links": 9}, ("links", Why.NOT_SOLD, None, [*range(9)])),
    ],
)
def test_an_order_that_fsx_refuses_names_the_field(order, expected):
    assert refused(**order) == [expected]


def test_a_size_is_judged_as_far_as_the_throughput_is_known():
    open_throughput = {"deployment": "persistent_2", "efa": True, "throughput": None}
    assert [one[0] for one in refused(**open_throughput, size_gib=4800)] == ["throughput"]
    assert refused(**open_throughput, size_gib=2400)[1] == (
        "size_gib",
        Why.NOT_SOLD,
        None,
        [4800, 9600, 19200, 38400],
    )


@given(
    deployment=st.sampled_from(lustre_deployments()), storage=st.sampled_from(["ssd", "hdd"]), efa=st.booleans(),
    throughput=st.sampled_from([None, 12, 40, 50, 125, 250, 1000]), gib=st.integers(0, 200) | st.just(38400),
)  # fmt: skip
def test_what_is_not_refused_has_steps_that_allow_its_size(deployment, storage, efa, throughput, gib):
    order = LustreOrder(
        deployment=deployment, storage=storage, efa=efa, throughput=throughput, size_gib=gib * 600,
        drive_cache="none" if storage == "hdd" else None,
    )  # fmt: skip
    steps = lustre_steps(deployment, throughput, efa, storage=storage)
    assert bool([*lustre_refusals(order)]) is not bool(steps and steps.allows(gib * 600))
    if steps is not None:
        assert throughput in (lustre_throughputs(deployment, storage=storage) or (None,))


@pytest.mark.parametrize("path", ["/", "/in", "/in/", "/in/deep.er"])
def test_a_right_directory_can_be_linked(path):
    assert is_link_path(path)


@pytest.mark.parametrize("path", ["", "in", "//", "/a b", "/in/../out"])
def test_a_wrong_directory_cannot_be_linked(path):
    assert not is_link_path(path)


def test_linked_directories_overlap_by_whole_names():
    assert link_paths_overlap("/", "/in")
    assert link_paths_overlap("/in/deep", "/in")
    assert link_paths_overlap("/in", "/in/")
    assert not link_paths_overlap("/in", "/inner")
