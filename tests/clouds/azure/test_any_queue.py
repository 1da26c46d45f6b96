"""A fleet accepts every queue that `hpc validate` accepts, because both use the same catalogue."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from clouds.azure.nodes_sample import NODES_GROUP, SERVICES, WHO
from clouds.azure.sample import NETWORK, SUBSCRIPTION, TAGS
from hpc_components.azure import from_spec as to
from hpc_components.azure.spec import AzureClusterSpec
from hpc_components.spec.findings import Level
from hpc_components.spec.queue_defaults import fabric_on, placement
from hpc_components.spec.rule import rules_for

SIZES = st.sampled_from(["Standard_D16s_v5", "Standard_F16as_v6", "Standard_HB120-16rs_v3", "Standard_HB120rs_v3"])
GROUPS = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/r/providers/Microsoft.Compute/capacityReservationGroups"
QUEUE = st.fixed_dictionaries(
    {"name": st.just("some"), "machine": SIZES, "max": st.sampled_from([1, 100, 101, 200, 300, 1000, 4000])},
    optional={
        "fallback": st.lists(SIZES, max_size=1),
        "zones": st.lists(st.sampled_from(["eastus", "eastus-1"]), max_size=1),
        "purchase": st.sampled_from(["on_demand", "spot", {"reservation": f"{GROUPS}/g"}]),
        "placement": st.sampled_from(["cluster", "spread", "none"]),
        "fabric": st.booleans(),
        "scale_set_limit": st.sampled_from([0, 1, 100, 300, 301]),
        "availability_set": st.booleans(),
    },
)


def cluster(queue: dict[str, Any]) -> AzureClusterSpec:
    return AzureClusterSpec.model_validate(
        {
            "cloud": "azure", "name": "any", "region": "eastus", "zone": "eastus-1",
            "network": {"cidr": "10.20.0.0/16"}, "head_node": {"machine": "Standard_E64s_v6"}, "queues": [queue],
        }
    )  # fmt: skip


def refused(described: AzureClusterSpec) -> bool:
    found = (problem.level or rule.level for rule in rules_for(described) for problem in rule(described))
    return Level.ERROR in found


@settings(max_examples=200, deadline=None)
@given(QUEUE)
def test_what_a_fleet_does_not_take_a_rule_refuses(queue):
    described = cluster(queue)
    (one,) = described.queues
    near = "group" if placement(one) == "cluster" and not fabric_on(one) else None
    why = None
    try:
        to.fleet_args(described, one, NETWORK, WHO, SERVICES, NODES_GROUP, TAGS, near)
    except ValueError as error:
        why = str(error)
    assert why is None or refused(described), why
