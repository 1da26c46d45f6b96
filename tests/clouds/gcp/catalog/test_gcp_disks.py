"""What disks are sold, and which machines take them."""

from typing import Any

import pytest
from catalog.present import held, present
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog import machines
from hpc_components.catalog.refusal import Why
from hpc_components.gcp.catalog.disks import (
    DiskOrder,
    default_disk_type,
    disk_refusals,
    disk_type,
    disk_types,
    iops_range,
    takes_disk,
    throughput_range,
)

PD, HYPER = "pd-balanced", "hyperdisk-balanced"


def refused(**order: Any) -> list[tuple[str, Why, str | None]]:
    if name := order.get("machine"):
        order["machine"] = held("gcp", name)
    return [(one.field, one.why, one.because_of) for one in disk_refusals(DiskOrder(**order))]


@pytest.mark.parametrize(
    ("name", "root", "default"),
    [
        ("h3-standard-88", {PD, HYPER}, PD),
        ("h4d-standard-192", {HYPER}, HYPER),
        ("c2-standard-60", {"pd-standard", PD, "pd-ssd"}, PD),
        ("c3-standard-88", {PD, "pd-ssd", HYPER}, PD),
        ("c4-standard-144", {HYPER}, HYPER),
        ("c4a-standard-72", {HYPER}, HYPER),
        ("a3-highgpu-8g", {PD, "pd-ssd", HYPER}, PD),
        ("a3-ultragpu-8g", {HYPER}, HYPER),
        ("a4-highgpu-8g", {HYPER}, HYPER),
        ("g2-standard-96", {PD, "pd-ssd"}, PD),
        ("e2-standard-4", {"pd-standard", PD, "pd-ssd"}, PD),
    ],
)
def test_a_series_takes_its_root_disks(name, root, default):
    machine = held("gcp", name)
    assert {kind for kind in disk_types(root=True) if takes_disk(machine, kind, "root")} == root
    assert default_disk_type(machine) == default


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"type": PD, "root": True, "size_gib": 64, "machine": "h3-standard-88"}, []),
        ({"type": HYPER, "root": True, "size_gib": 64, "machine": "h4d-standard-192"}, []),
        ({"type": PD, "root": True, "machine": "h4d-standard-192"}, [("type", Why.NOT_TAKEN, "machine")]),
        ({"type": "pd-ssd", "root": True, "machine": "h3-standard-88"}, [("type", Why.NOT_TAKEN, "machine")]),
        ({"type": "pd-standard", "root": True, "machine": "c3-standard-88"}, [("type", Why.NOT_TAKEN, "machine")]),
        ({"type": "pd-ssd", "machine": "c4-standard-144"}, [("type", Why.NOT_TAKEN, "machine")]),
        ({"type": HYPER, "machine": "c2-standard-60"}, [("type", Why.NOT_TAKEN, "machine")]),
        ({"type": "hyperdisk-extreme", "machine": "c3-standard-88", "size_gib": 64}, []),
        ({"type": "hyperdisk-extreme", "machine": "c3-standard-44"}, [("type", Why.NOT_TAKEN, "machine")]),
        ({"type": "pd-extreme", "machine": "c2-standard-60", "size_gib": 500}, []),  # sources disagree
        ({"type": "pd-extreme", "root": True, "machine": "n2-standard-4"}, [("type", Why.NOT_TAKEN, "root")]),
        ({"type": "gp3"}, [("type", Why.UNKNOWN, None)]),
        ({"type": PD, "size_gib": 9}, [("size_gib", Why.NOT_SOLD, None)]),
        ({"type": PD, "size_gib": 10.5}, [("size_gib", Why.NOT_SOLD, None)]),
        ({"type": PD, "size_gib": 65537}, [("size_gib", Why.NOT_SOLD, None)]),
        ({"type": PD, "size_gib": 64, "iops": 3000}, [("iops", Why.NOT_TAKEN, "type")]),
        ({"type": HYPER, "size_gib": 64, "iops": 32_000, "throughput": 2400}, []),
        ({"type": HYPER, "size_gib": 64, "iops": 32_001}, [("iops", Why.NOT_SOLD, "size_gib")]),
        ({"type": HYPER, "size_gib": 1024, "iops": 2999}, [("iops", Why.NOT_SOLD, None)]),
        ({"type": HYPER, "size_gib": 1024, "iops": 160_001}, [("iops", Why.NOT_SOLD, None)]),
        ({"type": HYPER, "iops": 3000, "throughput": 751}, [("throughput", Why.NOT_SOLD, "iops")]),
        ({"type": HYPER, "iops": 80_000, "throughput": 300}, [("throughput", Why.NOT_SOLD, "iops")]),
        ({"type": HYPER, "throughput": 139}, [("throughput", Why.NOT_SOLD, None)]),
        ({"type": "hyperdisk-throughput", "size_gib": 2048, "throughput": 180}, []),
        (
            {"type": "hyperdisk-throughput", "size_gib": 2048, "throughput": 181},
            [("throughput", Why.NOT_SOLD, "size_gib")],
        ),
        ({"type": "hyperdisk-extreme", "size_gib": 64, "throughput": 200}, [("throughput", Why.NOT_TAKEN, "type")]),
    ],
)
def test_a_disk_order_is_judged_as_google_sells_it(order, expected):
    assert refused(**order) == expected


def test_what_the_machine_takes_instead_is_told():
    machine = held("gcp", "h4d-standard-192")
    (one,) = disk_refusals(DiskOrder(type=PD, root=True, machine=machine))
    assert one.allowed == (HYPER,)


def test_a_disputed_disk_is_not_a_fact():
    assert takes_disk(held("gcp", "c2-standard-60"), "pd-extreme") is None
    assert takes_disk(held("gcp", "c2-standard-60"), "pd-extreme", "root") is False  # it is no root disk anywhere
    assert takes_disk(held("gcp", "c2-standard-60"), HYPER) is False
    assert takes_disk(held("gcp", "n2-standard-4"), "pd-extreme") is True


@given(st.sampled_from(machines("gcp")))
def test_the_default_disk_is_taken(machine):
    order = DiskOrder(type=default_disk_type(machine), root=True, size_gib=64, machine=machine)
    assert not [*disk_refusals(order)]


@given(
    st.sampled_from(disk_types()),
    st.integers(1, 70_000),
    st.none() | st.integers(1, 400_000),
    st.none() | st.integers(1, 3000),
)
def test_what_is_refused_is_outside_of_what_is_told(type, size, iops, throughput):
    order = DiskOrder(type=type, size_gib=size, iops=iops, throughput=throughput)
    wanted = {"size_gib": size, "iops": iops, "throughput": throughput}
    for one in disk_refusals(order):
        if one.why is Why.NOT_SOLD:
            assert wanted[one.field] not in one.allowed
            assert len(one.allowed) > 0
            kept = {**wanted, one.field: one.allowed[-1]}
            again = [two.field for two in disk_refusals(DiskOrder(type=type, **kept))]
            assert one.field not in again, (one, again)


def test_ranges_follow_from_size_and_iops():
    kind = present(disk_type(HYPER))
    assert present(iops_range(kind, 10))[-1] == 5000
    assert present(iops_range(kind))[-1] == 160_000
    assert (present(throughput_range(kind, iops=8000))[0], present(throughput_range(kind, iops=8000))[-1]) == (
        140,
        2000,
    )
    assert iops_range(present(disk_type(PD))) is None
