"""Services that a cluster on Google Cloud pays for besides its nodes, by items of the price list."""

from typing import Any

import pytest

from hpc_components.catalog import service_price
from hpc_components.gcp.spec import GcpClusterSpec
from hpc_components.gcp.spec.billed_services import paid_services

USUAL = {
    "cloud": "gcp",
    "name": "cfd",
    "project": "my-hpc-project",
    "region": "us-central1",
    "zone": "us-central1-a",
    "network": {"cidr": "10.20.0.0/16"},
    "head_node": {"machine": "n2-standard-4"},
    "queues": [{"name": "compute", "machine": "h3-standard-88", "max": 4}],
}


def paid(**change: Any) -> dict[str, float]:
    """Return quantities by item, summed over duplicates."""
    found: dict[str, float] = {}
    for each in paid_services(GcpClusterSpec.model_validate({**USUAL, **change})):
        assert service_price("gcp", each.item, "us-central1"), each.item
        found[each.item] = found.get(each.item, 0) + each.quantity
    return found


def test_the_least_is_the_head_node_s_disks_and_its_use_of_nat():
    assert paid() == {"nat.hour": 1, "disk.pd-balanced.storage": 128}


@pytest.mark.parametrize(
    ("nat", "login", "least", "machines"),
    [("one", 2, 3, 6), ("one", 2, 64, 32), ("none", 2, 3, 0)],
)
def test_nat_is_paid_by_the_machines_that_always_run_up_to_a_limit(nat, login, least, machines):
    change = {
        "network": {"cidr": "10.20.0.0/16", "nat": nat},
        "login_nodes": {"machine": "n2-standard-2", "min": login, "max": 4},
        "queues": [{"name": "compute", "machine": "h3-standard-88", "min": least, "max": 64}],
    }
    found = paid(**change)
    assert (found["nat.hour"], found["load_balancer.hour"]) == (machines, 1)


def test_a_head_node_without_persistent_disks_has_hyperdisks():
    found = paid(head_node={"machine": "c4-standard-8"})
    assert found["disk.hyperdisk-balanced.storage"] == 128


def test_of_a_hyperdisk_only_what_is_above_the_free_part_is_paid():
    state = {"type": "hyperdisk-balanced", "size": "100GiB", "iops": 5000, "throughput": 140}
    found = paid(head_node={"machine": "n2-standard-4", "state": state})
    assert found["disk.hyperdisk-balanced.iops"] == 2000
    assert "disk.hyperdisk-balanced.throughput" not in found
    found = paid(head_node={"machine": "n2-standard-4", "state": {**state, "iops": 3000, "throughput": 200}})
    assert "disk.hyperdisk-balanced.iops" not in found
    assert found["disk.hyperdisk-balanced.throughput"] == 60


def test_file_systems_are_paid_by_gib():
    storage = {
        "scratch": {"type": "lustre", "mount": "/scratch", "size": "9000GiB", "throughput": 1000},
        "home": {"type": "nfs", "mount": "/home", "size": "1TiB", "tier": "regional"},
    }
    found = paid(storage=storage)
    assert (found["lustre.1000"], found["filestore.regional"]) == (9000, 1024)
