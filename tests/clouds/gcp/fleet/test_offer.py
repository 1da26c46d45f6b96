"""What Compute Engine refuses of the machines of a fleet."""

import pytest
from catalog.present import held

from hpc_components.catalog import all_machines, machines
from hpc_components.gcp.fleet.offer import FleetOrder, has_tier_1, refusals, tier_1_gbps


@pytest.mark.parametrize(
    ("name", "gbps"),
    [
        ("c3-standard-176", 200), ("c3-standard-88", 100), ("c3-standard-22", None), ("h3-standard-88", None),
        ("h4d-standard-192", None), ("n2-standard-32", 50), ("n2-standard-16", None), ("c2-standard-60", 100),
        ("e2-standard-16", None), ("c4a-standard-72", 100),
    ],
)  # fmt: skip
def test_tier_1_is_refused_on_machines_without_it(name: str, gbps: int | None) -> None:
    machine = held("gcp", name)
    assert tier_1_gbps(machine) == gbps
    found = [*refusals(FleetOrder(machine=machine, tier_1=True))]
    assert [(each.field, each.conflicts_with) for each in found] == ([] if gbps else [("tier_1", "machine")])
    assert [*refusals(FleetOrder(machine=machine))] == []


def test_tier_1_is_faster_and_for_large_machines_only() -> None:
    for each in all_machines("gcp"):
        if has_tier_1(each):
            assert each.vcpus >= 30, each.name
            assert (tier_1_gbps(each) or 0) > (each.network_gbps or 0), each.name


@pytest.mark.parametrize(
    ("name", "reason", "instead"),
    [
        (
            "c3-standard-22",
            "for c3 machines, Tier_1 networking requires at least 44 vCPUs, but c3-standard-22 has only 22",
            "c3-highcpu-88",
        ),
        ("h3-standard-88", "h3-standard-88 does not support Tier_1 networking", "c3-standard-88"),
    ],
)
def test_refusal_of_tier_1_names_a_machine_that_has_it(name: str, reason: str, instead: str) -> None:
    (found,) = refusals(FleetOrder(machine=held("gcp", name), tier_1=True, others=machines("gcp")))
    assert (found.reason, found.changes, found.alternative) == (reason, {"tier_1": False}, {"machine": instead})
