"""The head node's roles, as stacks make them, let the driver do what it does, and each of their actions is needed."""

from functools import cache
from typing import Any

import pytest
from planned_azure_rights import (
    AzureRights,
    add_planned_groups,
    cluster_of,
    head_place,
    head_rights,
    planned_pools,
)
from stack_recordings import recorded, stacks_of

from hpc_components.azure.cluster import Cluster
from hpc_components.azure.spec import AzureClusterSpec
from hpc_components.elastic.drivers.azure.driver import AzureDriver
from hpc_components.elastic.drivers.azure.identity import Metadata, Tokens
from hpc_components.elastic.drivers.contract import LaunchError
from hpc_components.preview.record import Recording, record

from .arm_rights import enforce
from .azure_cluster import IDENTITY, add_login_node, inside, launch
from .conftest import Clock
from .fake_arm import FakeArm

SITE = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/site/providers/Microsoft.Compute"
GALLERY = f"{SITE}/galleries/g/images/hpc/versions/1.0.0"
QUEUES: dict[str, dict[str, Any]] = {
    "uniform": {"machine": "Standard_HB176rs_v4"},
    "flexible": {"machine": "Standard_D8as_v5"},
    "spot": {"machine": "Standard_D8as_v5", "purchase": "spot"},
    "reserved": {
        "machine": "Standard_D8as_v5",
        "purchase": {"reservation": f"{SITE}/capacityReservationGroups/ours"},
    },
    "near": {"machine": "Standard_F16as_v6", "placement": "cluster"},
    "own-image": {"machine": "Standard_D8as_v5", "image": GALLERY},
    "old-image": {"machine": "Standard_D8as_v5", "image": f"{SITE}/images/hpc"},
    "own-key": {
        "machine": "Standard_D8as_v5",
        "root": {"size": "64GiB", "encryption_set": f"{SITE}/diskEncryptionSets/k"},
    },
    "gpu": {"machine": "Standard_ND96isr_H100_v5"},
    "named": {"machine": "Standard_HB120rs_v3", "availability_set": True, "zones": ["eastus"]},
}
"""One for each way in which the head node makes nodes."""


VNET = f"{SITE.replace('Compute', 'Network')}/virtualNetworks/campus"
NETWORKS: dict[str, dict[str, Any]] = {
    "new": {"cidr": "10.90.0.0/16"},
    "existing": {
        "existing": {
            "vnet": VNET,
            "cidr": "10.20.0.0/16",
            "private": {"eastus": {"id": f"{VNET}/subnets/batch", "cidr": "10.20.128.0/17"}},
            "head": {"id": f"{VNET}/subnets/head", "cidr": "10.20.0.0/24"},
        },
    },
}
"""In a network that is there, each interface has the cluster's security group."""


@cache
def cluster_with(*queues: str, network: str = "new") -> Recording:
    described = {
        "cloud": "azure", "name": "lab", "region": "eastus", "zone": "eastus-1",
        "network": NETWORKS[network], "head_node": {"machine": "Standard_D2s_v5"},
        "queues": [{"name": name, "max": 2, **QUEUES[name]} for name in queues],
    }  # fmt: skip
    return record(lambda: Cluster("cfd", AzureClusterSpec.model_validate(described)), preview=False)


def run(recording: Recording, rights: AzureRights) -> set[tuple[str, str]]:
    """Launch, list and end a node of each pool, with these rights alone. What was needed for it."""
    arm = FakeArm(Clock())
    add_planned_groups(arm, recording)
    used: set[tuple[str, str]] = set()
    enforce(arm, rights.holds, lambda action, id: used.add((action, id)))

    def sleep(seconds: float) -> None:
        arm.clock.now += seconds

    tokens = Tokens(Metadata("http://imds.test", inside(arm)), IDENTITY, arm.clock)
    place = head_place(recording, arm)
    driver = AzureDriver(cluster_of(recording), place, tokens, inside(arm), arm.clock, arm.clock, sleep)
    pools = planned_pools(recording)
    assert pools
    for number, pool in enumerate(pools, 1):
        driver.launch(launch(number, token=f"{number:032}", pool=pool))
    made = driver.list()
    assert len(made) == len(pools)
    driver.find([each.id for each in made])
    add_login_node(arm, "10.20.1.5", cluster=cluster_of(recording), config=place.config)
    assert [node.address for node in driver.login_nodes()] == ["10.20.1.5"]
    driver.terminate([each.id for each in made])
    assert arm.live() == []
    assert not arm.mistakes
    return used


@pytest.mark.parametrize("stack", stacks_of("azure"))
def test_the_head_node_launches_and_ends_nodes_of_every_queue(stack: str) -> None:
    recording = recorded(stack, preview=False)
    run(recording, head_rights(recording))


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("queue", QUEUES)
def test_the_head_node_launches_and_ends_nodes_however_they_are_made(queue: str, network: str) -> None:
    recording = cluster_with(queue, network=network)
    run(recording, head_rights(recording))


def test_each_action_of_the_head_node_s_roles_is_needed_and_its_lack_is_seen() -> None:
    recordings = [cluster_with(*QUEUES, network=network) for network in NETWORKS]
    needed = {action: each for each in recordings for action, _ in run(each, head_rights(each))}
    own = {action for each in recordings for role in head_rights(each).own_roles for action in role.actions}
    assert own <= needed.keys()
    for action in sorted(own):
        recording = needed[action]
        with pytest.raises((LaunchError, OSError), match=action):
            run(recording, head_rights(recording).without(action))


@pytest.mark.parametrize("network", NETWORKS)
def test_each_assignment_of_the_head_node_s_roles_is_needed_and_its_lack_is_seen(network: str) -> None:
    recording = cluster_with(*QUEUES, network=network)
    rights = head_rights(recording)
    for each in rights.own_roles:
        with pytest.raises((LaunchError, OSError), match="AuthorizationFailed"):
            run(recording, rights.without_assignment(each.name))


def test_a_call_that_the_table_does_not_know_is_an_error() -> None:
    arm = FakeArm(Clock())
    enforce(arm, lambda action, id: True)
    with pytest.raises(KeyError, match="show host"):
        arm.on_request("show host", (), {}, b"")
