"""Disks on sale, and the machines that support them."""

from typing import Any

import pytest
from catalog.present import held, present
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog import machines
from hpc_components.catalog.level import Level
from hpc_components.gcp.disks.offer import (
    DiskOrder,
    default_disk_type,
    disk_type,
    disk_types,
    iops_range,
    refusals,
    takes_disk,
    throughput_range,
)

PD, HYPER = "pd-balanced", "hyperdisk-balanced"


MACHINES, BOOT, SIZE, SPEED_SET, SPEED = (f"HPC-GDK-00{number}" for number in (1, 3, 4, 5, 6))


def ordered(machine: str | None = None, **order: Any) -> DiskOrder:
    return DiskOrder(**order, machines=(held("gcp", machine),) if machine else ())


def refused(**order: Any) -> list[tuple[str, str, str | None]]:
    found = [each for each in refusals(ordered(**order)) if each.level is Level.ERROR]
    return [(each.limit.id, each.field, each.conflicts_with) for each in found]


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
        ({"type": PD, "root": True, "machine": "h4d-standard-192"}, [(MACHINES, "type", "machines")]),
        ({"type": "pd-ssd", "root": True, "machine": "h3-standard-88"}, [(MACHINES, "type", "machines")]),
        ({"type": "pd-standard", "root": True, "machine": "c3-standard-88"}, [(MACHINES, "type", "machines")]),
        ({"type": "pd-ssd", "machine": "c4-standard-144"}, [(MACHINES, "type", "machines")]),
        ({"type": HYPER, "machine": "c2-standard-60"}, [(MACHINES, "type", "machines")]),
        ({"type": "hyperdisk-extreme", "machine": "c3-standard-88", "size_gib": 64}, []),
        ({"type": "hyperdisk-extreme", "machine": "c3-standard-44"}, [(MACHINES, "type", "machines")]),
        ({"type": "pd-extreme", "machine": "c2-standard-60", "size_gib": 500}, []),  # sources disagree
        ({"type": "pd-extreme", "root": True, "machine": "n2-standard-4"}, [(BOOT, "type", "root")]),
        ({"type": "gp3"}, []),
        ({"type": PD, "size_gib": 9}, [(SIZE, "size_gib", "type")]),
        ({"type": PD, "size_gib": 10.5}, [(SIZE, "size_gib", "type")]),
        ({"type": PD, "size_gib": 65537}, [(SIZE, "size_gib", "type")]),
        ({"type": PD, "size_gib": 64, "iops": 3000}, [(SPEED_SET, "iops", "type")]),
        ({"type": HYPER, "size_gib": 64, "iops": 32_000, "throughput": 2400}, []),
        ({"type": HYPER, "size_gib": 64, "iops": 32_001}, [(SPEED, "iops", "size_gib")]),
        ({"type": HYPER, "size_gib": 1024, "iops": 2999}, [(SPEED, "iops", None)]),
        ({"type": HYPER, "size_gib": 1024, "iops": 160_001}, [(SPEED, "iops", None)]),
        ({"type": HYPER, "iops": 3000, "throughput": 751}, [(SPEED, "throughput", "iops")]),
        ({"type": HYPER, "iops": 80_000, "throughput": 300}, [(SPEED, "throughput", "iops")]),
        ({"type": HYPER, "throughput": 139}, [(SPEED, "throughput", None)]),
        ({"type": "hyperdisk-throughput", "size_gib": 2048, "throughput": 180}, []),
        (
            {"type": "hyperdisk-throughput", "size_gib": 2048, "throughput": 181},
            [(SPEED, "throughput", "size_gib")],
        ),
        ({"type": "hyperdisk-extreme", "size_gib": 64, "throughput": 200}, [(SPEED_SET, "throughput", "type")]),
    ],
)
def test_a_disk_order_is_judged_as_google_sells_it(order, expected):
    assert refused(**order) == expected


def test_type_that_a_machine_lacks_is_replaced() -> None:
    (found,) = refusals(ordered("h4d-standard-192", type=PD, root=True))
    assert (found.changes, found.alternative) == ({"type": HYPER}, {})


def test_disputed_type_is_warned_about_where_it_is_given() -> None:
    (found,) = refusals(ordered("c2-standard-60", type="pd-extreme", size_gib=500))
    assert (found.limit.id, found.level, found.changes) == ("HPC-GDK-002", Level.WARNING, {"type": PD})


def test_a_disputed_disk_is_not_a_fact():
    assert takes_disk(held("gcp", "c2-standard-60"), "pd-extreme") is None
    assert takes_disk(held("gcp", "c2-standard-60"), "pd-extreme", "root") is False  # it is no root disk anywhere
    assert takes_disk(held("gcp", "c2-standard-60"), HYPER) is False
    assert takes_disk(held("gcp", "n2-standard-4"), "pd-extreme") is True


@given(st.sampled_from(machines("gcp")))
def test_the_default_disk_is_taken(machine):
    for type in (None, default_disk_type(machine)):
        assert not [*refusals(DiskOrder(type=type, root=True, size_gib=64, machines=(machine,)))]


@given(
    st.sampled_from(disk_types()),
    st.integers(1, 70_000),
    st.none() | st.integers(1, 400_000),
    st.none() | st.integers(1, 3000),
)
def test_a_remedy_is_not_refused_next(type: str, size: int, iops: int | None, throughput: int | None) -> None:
    wanted: dict[str, Any] = {"size_gib": size, "iops": iops, "throughput": throughput}
    for one in refusals(DiskOrder(type=type, **wanted)):
        again = [two.field for two in refusals(DiskOrder(**({"type": type} | wanted | one.changes)))]
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
