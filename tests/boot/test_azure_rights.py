"""The rights by which the emulators let nodes do things on Azure are those of the plan."""

import pytest
from planned_azure import PlannedAzure

from hpc_components.azure.cluster import Cluster
from hpc_components.preview.record import record

from .azure_rights import GRANTS, PEOPLE_GRANTS, ROLES
from .azure_stage import IDENTITIES, azure_spec, azure_tags
from .cluster import PEOPLE


@pytest.fixture(scope="module")
def plan() -> PlannedAzure:
    return PlannedAzure(record(lambda: Cluster("cfd", azure_spec()), preview=False))


@pytest.fixture(scope="module")
def plan_with_people() -> PlannedAzure:
    return PlannedAzure(record(lambda: Cluster("cfd", azure_spec(people=PEOPLE)), preview=False))


MACHINES = [("head", "lab-head"), ("login", "lab-login"), ("compute", "lab-debug-d2s-v5-1")]


@pytest.mark.parametrize(("role", "machine"), MACHINES)
def test_nodes_have_the_rights_of_the_plan(plan: PlannedAzure, role: str, machine: str) -> None:
    tags = plan.tags(machine)
    assert plan.grants(tags["hpc:identity"]) == GRANTS[role]
    if "hpc:data-identity" in tags:
        assert plan.grants(tags["hpc:data-identity"]) == GRANTS["data"]
    assert {name for name, _ in GRANTS[role]} - ROLES.keys() == ({"launch", "use"} if role == "head" else set())


@pytest.mark.parametrize(("role", "machine"), MACHINES)
def test_people_take_one_more_right_of_login_nodes(plan_with_people: PlannedAzure, role: str, machine: str) -> None:
    assert plan_with_people.grants(plan_with_people.tags(machine)["hpc:identity"]) == PEOPLE_GRANTS[role]


@pytest.mark.parametrize(("role", "machine"), MACHINES)
def test_nodes_find_the_tags_of_the_plan(plan: PlannedAzure, role: str, machine: str) -> None:
    """Sandboxes have tags of their own, with the same keys."""
    own = azure_tags(role, "")
    assert own.keys() <= plan.tags(machine).keys()
    assert own["hpc:identity"] == IDENTITIES[role]
