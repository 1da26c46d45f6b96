"""The head node's roles, as stacks make them, let the driver do what it does, and each of their permissions is
needed."""

from functools import cache
from typing import Any

import pytest
from planned_gcp_rights import GcpRights, add_planned_templates, cluster_of, head_rights, planned_pools
from stack_recordings import recorded, stacks_of

from hpc_components.elastic.drivers.contract import LaunchError
from hpc_components.elastic.drivers.gcp.reap import reap
from hpc_components.gcp.cluster import Cluster
from hpc_components.gcp.spec import GcpClusterSpec
from hpc_components.preview.record import Recording, record

from .conftest import Clock
from .fake_gce import FakeGce
from .gce_rights import Need, enforce
from .gcp_cluster import inside, launch, make_driver

ZONE = "us-central1-a"
QUEUES: dict[str, dict[str, Any]] = {
    "plain": {"machine": "n2-standard-4"},
    "spot": {"machine": "n2-standard-4", "purchase": "spot"},
    "near": {"machine": "c3-standard-176", "placement": "cluster", "max_distance": 2},
    "spread": {"machine": "n2-standard-4", "placement": "spread"},
    "flex": {"machine": "g2-standard-96", "purchase": "flex_start", "max_run": "1d"},
    "reserved": {"machine": "a3-megagpu-8g", "purchase": {"reservation": "projects/acme-hpc/reservations/gpus"}},
    "own-image": {"machine": "n2-standard-4", "image": "projects/acme-hpc/global/images/hpc-1"},
    "own-family": {"machine": "n2-standard-4", "image": "projects/images/global/images/family/hpc"},
}
"""One for each way in which the head node makes nodes."""


@cache
def cluster_with(*queues: str) -> Recording:
    described = {
        "cloud": "gcp", "name": "lab", "project": "acme-hpc", "region": "us-central1", "zone": ZONE,
        "network": {"cidr": "10.90.0.0/16"}, "head_node": {"machine": "n2-standard-4"},
        "queues": [{"name": name, "max": 4, **QUEUES[name]} for name in queues],
    }  # fmt: skip
    return record(lambda: Cluster("cfd", GcpClusterSpec.model_validate(described)), preview=False)


def run(recording: Recording, rights: GcpRights) -> set[Need]:
    """Launch, list and end nodes of each pool, and reap, with these rights alone. What was needed for it."""
    gce = FakeGce(Clock())
    gce.operation_seconds = 5
    templates = add_planned_templates(gce, recording)
    used: set[Need] = set()
    enforce(gce, templates, rights.holds, used.add)

    def sleep(seconds: float) -> None:
        gce.clock.now += seconds

    driver = make_driver(gce, inside(gce), sleep, cluster_of(recording))
    pools = planned_pools(recording)
    assert pools
    gce.left[pools[0].machine, pools[0].zone] = 1  # one node is not made, and the driver asks why
    driver.launch(launch(1, 2, token="t0", pool=pools[0]))
    gce.left.clear()
    for number, pool in enumerate(pools[1:], 1):
        driver.launch(launch(number, token=f"t{number}", pool=pool))
    made = driver.list()
    assert len(made) == len(pools)
    driver.find([each.id for each in made])
    driver.login_nodes()
    driver.terminate([each.id for each in made[:1]])
    gce.put("cluster", "lab")
    assert driver.stays()
    del gce.objects["cluster"]
    assert not driver.stays()
    assert reap(driver, gce.clock.now + 80, gce.clock, sleep) == ""
    assert gce.live() == []
    assert not gce.mistakes
    return used


@pytest.mark.parametrize("stack", stacks_of("gcp"))
def test_the_head_node_launches_and_ends_nodes_of_every_queue(stack: str) -> None:
    recording = recorded(stack, preview=False)
    run(recording, head_rights(recording))


@pytest.mark.parametrize("queue", QUEUES)
def test_the_head_node_launches_and_ends_nodes_however_they_are_made(queue: str) -> None:
    recording = cluster_with(queue)
    run(recording, head_rights(recording))


UNPROVED = {"compute.acceleratorTypes.get", "compute.instanceTemplates.get", "compute.machineTypes.get"}
"""They only read. No documentation asks for them, but a launch that needed them would fail in the cloud only."""


def test_each_permission_of_the_head_node_s_roles_is_needed_and_its_lack_is_seen() -> None:
    recording = cluster_with(*QUEUES)
    rights = head_rights(recording)
    needed = {permission for permission, _, _ in run(recording, rights)}
    own = {permission for each in rights.own_roles for permission in each.permissions}
    assert own - needed == UNPROVED
    for permission in sorted(own - UNPROVED):
        with pytest.raises((LaunchError, OSError, AssertionError)):
            run(recording, rights.without(permission))


def test_each_binding_with_which_the_head_node_launches_is_needed_and_its_lack_is_seen() -> None:
    recording = cluster_with(*QUEUES)
    rights = head_rights(recording)
    at_boot = {"reads-jwt", "reads-munge", "sets-jwt", "sets-munge", "writes-logs"}
    for each in rights.bindings:
        if each.name.removeprefix("lab-head-") not in at_boot:
            with pytest.raises((LaunchError, OSError, AssertionError)):
                run(recording, rights.without_binding(each.name))


def test_a_machine_of_another_name_is_out_of_reach() -> None:
    rights = head_rights(cluster_with("plain"))
    assert rights.holds("compute.instances.delete", "instance", "lab-plain-1")
    assert not rights.holds("compute.instances.delete", "instance", "other-plain-1")
    assert not rights.holds("compute.disks.create", "disk", "other-plain-1")
