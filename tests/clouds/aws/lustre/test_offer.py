"""The offer of FSx for Lustre, which rules, arguments of the component and checks of inputs share."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clouds.aws.lustre.steps import lustre_steps
from hpc_components.aws.lustre.capacities import lustre_deployments, lustre_throughputs
from hpc_components.aws.lustre.offer import LustreOrder, refusals
from hpc_components.aws.lustre_links.offer import is_link_path, link_paths_overlap
from hpc_components.catalog.level import Level

SCRATCH: dict[str, Any] = {"deployment": "scratch_2", "size_gib": 1200}
PERSISTENT: dict[str, Any] = {"deployment": "persistent_2", "throughput": 250, "size_gib": 2400}
HARD_DISKS: dict[str, Any] = {
    "deployment": "persistent_1", "storage": "hdd", "throughput": 12, "size_gib": 6000, "drive_cache": "read"
}  # fmt: skip


Refused = tuple[str, str, dict[str, Any], dict[str, Any], str | None]


def refused(**order: Any) -> list[Refused]:
    return [
        (
            each.limit.id.removeprefix("HPC-FSX-"),
            each.field,
            {**each.changes},
            {**each.alternative},
            each.conflicts_with,
        )
        for each in refusals(LustreOrder(**order))
    ]


@pytest.mark.parametrize("order", [SCRATCH, PERSISTENT, HARD_DISKS])
def test_an_order_that_fsx_sells_is_accepted(order):
    assert refused(**order) == []


PERSISTENT_2 = {"deployment": "persistent_2", "throughput": 125}


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (SCRATCH | {"deployment": "scratch_3"}, ("026", "deployment", {"deployment": "persistent_2"}, {}, None)),
        (SCRATCH | {"size_gib": None}, ("001", "size_gib", {"size_gib": 1200}, {}, None)),
        (SCRATCH | {"size_gib": 3000}, ("002", "size_gib", {"size_gib": 4800}, {"size_gib": 2400}, "deployment")),
        (SCRATCH | {"size_gib": 1200.5}, ("002", "size_gib", {"size_gib": 1200}, {}, "deployment")),
        (SCRATCH | {"throughput": 200}, ("003", "throughput", {"throughput": None}, PERSISTENT_2, "deployment")),
        (PERSISTENT | {"throughput": None}, ("003", "throughput", {"throughput": 125}, {}, None)),
        (PERSISTENT | {"throughput": 200}, ("003", "throughput", {"throughput": 250}, {}, "deployment")),
        (PERSISTENT | {"drive_cache": "read"}, ("005", "drive_cache", {"drive_cache": None}, {}, "storage")),
        (
            HARD_DISKS | {"drive_cache": None},
            ("005", "drive_cache", {"drive_cache": "read"}, {"drive_cache": "none"}, None),
        ),
        (
            HARD_DISKS | {"deployment": "persistent_2"},
            (
                "004", "storage", {"deployment": "persistent_1", "throughput": 12, "drive_cache": "none"},
                {"storage": "ssd"}, "deployment",
            ),
        ),
        (SCRATCH | {"efa": True}, ("006", "efa", {"efa": None}, {}, "deployment")),
        (PERSISTENT | {"efa": True}, ("002", "size_gib", {"size_gib": 19200}, {}, "deployment")),
        (SCRATCH | {"kms_key": True}, ("008", "kms_key", {"kms_key": None}, PERSISTENT_2, "deployment")),
        (
            SCRATCH | {"metadata_iops": 12000},
            ("007", "metadata_iops", {"metadata_iops": None}, PERSISTENT_2, "deployment"),
        ),
        (
            PERSISTENT | {"metadata_iops": 18000},
            ("007", "metadata_iops", {"metadata_iops": 24000}, {"metadata_iops": 12000}, None),
        ),
        (SCRATCH | {"backup_days": 7}, ("009", "backup_days", {"backup_days": None}, PERSISTENT_2, "deployment")),
        (PERSISTENT | {"backup_days": 7, "links": 1}, ("009", "backup_days", {"backup_days": None}, {}, "links")),
        (PERSISTENT | {"backup_days": 91}, ("010", "backup_days", {"backup_days": 90}, {}, None)),
        (PERSISTENT | {"backup_days": 7.5}, ("010", "backup_days", {"backup_days": 8}, {}, None)),
        (
            {"deployment": "scratch_1", "size_gib": 1200, "links": 1},
            ("012", "deployment", {"deployment": "scratch_2"}, {}, "links"),
        ),
        (SCRATCH | {"links": 9}, ("013", "links", {}, {}, None)),
    ],
)  # fmt: skip
def test_an_order_that_fsx_refuses_names_the_field_and_the_remedy(order, expected):
    assert refused(**order) == [expected]


def test_a_deployment_that_fsx_may_not_sell_in_a_region_is_mentioned():
    [found] = refusals(LustreOrder(**PERSISTENT, region="af-south-1"))
    assert (found.limit.id, found.level) == ("HPC-FSX-026", Level.INFO)
    assert refused(**SCRATCH, region="af-south-1") == refused(**PERSISTENT, region="nowhere-1") == []


def test_a_size_is_judged_as_far_as_the_throughput_is_known():
    open_throughput = {"deployment": "persistent_2", "efa": True, "throughput": None}
    assert [one[1] for one in refused(**open_throughput, size_gib=4800)] == ["throughput"]
    assert refused(**open_throughput, size_gib=2400)[1] == (
        "002",
        "size_gib",
        {"size_gib": 4800},
        {},
        "deployment",
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
    assert bool([*refusals(order)]) is not bool(steps and steps.allows(gib * 600))
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
