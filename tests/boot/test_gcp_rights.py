"""The rights by which the emulators let nodes do things on Google Cloud are those of the plan."""

import pytest
from planned_gcp import PlannedGcp

from hpc_components.gcp.cluster import Cluster
from hpc_components.preview.record import record

from .cluster import PEOPLE
from .gcp_rights import GRANTS, LAUNCH_PERMISSIONS, PEOPLE_GRANTS, ROLES
from .gcp_stage import gcp_metadata, gcp_spec


@pytest.fixture(scope="module")
def plan() -> PlannedGcp:
    return PlannedGcp(record(lambda: Cluster("cfd", gcp_spec()), preview=False))


@pytest.fixture(scope="module")
def plan_with_people() -> PlannedGcp:
    return PlannedGcp(record(lambda: Cluster("cfd", gcp_spec(people=PEOPLE)), preview=False))


MACHINES = [("head", "lab-head"), ("login", "lab-login"), ("compute", "lab-debug-n2-standard-4-us-central1-a")]


@pytest.mark.parametrize(("role", "machine"), MACHINES)
def test_nodes_have_the_rights_of_the_plan(plan: PlannedGcp, role: str, machine: str) -> None:
    metadata = plan.metadata(machine)
    assert plan.grants(plan.account(machine)) == GRANTS[role]
    if "hpc-data-account" in metadata:
        assert plan.grants(metadata["hpc-data-account"]) == GRANTS["data"]
    own = {name for name, _ in GRANTS[role]} - ROLES.keys()
    assert own == ({"launch", "place", "use"} if role == "head" else set())


@pytest.mark.parametrize(("role", "machine"), MACHINES)
def test_people_take_one_more_right_of_the_head_node(plan_with_people: PlannedGcp, role: str, machine: str) -> None:
    assert plan_with_people.grants(plan_with_people.account(machine)) == PEOPLE_GRANTS[role]


def test_the_daemon_may_do_what_it_does(plan: PlannedGcp) -> None:
    """Each on what it does it to: machines and disks are those alone whose names begin with the cluster's."""
    own = plan.permissions()
    roles = {**ROLES, **own}
    taken = set().union(*LAUNCH_PERMISSIONS.values())
    for permission, on in taken:
        scope = "project/lab-*" if on == "machine" else on
        assert [r for r, at in GRANTS["head"] if at in (scope, "project") and permission in roles[r]], permission
    assert {each for each in own["launch"] if "list" in each.lower()} == set(), "lists are of the project"


@pytest.mark.parametrize(("role", "machine"), MACHINES)
def test_nodes_find_the_metadata_of_the_plan(plan: PlannedGcp, role: str, machine: str) -> None:
    """Sandboxes have metadata of their own, with the same keys."""
    own, planned = gcp_metadata(role), plan.metadata(machine)
    assert own.keys() <= planned.keys()
    same = own.keys() - {"hpc-config"}
    assert {key: planned[key] for key in same} == {key: own[key] for key in same}


def test_the_reaper_s_object_is_in_the_config_bucket(plan: PlannedGcp) -> None:
    """Its name is the driver's, which looks whether it is there."""
    assert plan.text("cluster") == "lab\n"
