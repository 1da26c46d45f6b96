"""Which bulk inserts and policies a launch needs."""

from dataclasses import replace

import pytest

from hpc_components.elastic.drivers.gcp.fleets import Fleet, Placement
from hpc_components.elastic.drivers.gcp.planning import (
    delete_request,
    insert_request,
    plan_chunks,
    policy_document,
    policy_version,
)

from .gcp_cluster import launch

CLOSE = Fleet(template="t", placement=Placement(machines=10, max_distance=None))


def shown(fleet: Fleet, *numbers: int, minimum: int = 1, sizes: tuple[int, ...] = ()):
    chunks = plan_chunks(launch(*numbers, minimum=minimum, sizes=sizes), fleet, "cfd")
    return [
        (chunk.policy.removeprefix("cfd-cpu-"), [int(node[4:]) for node in chunk.nodes], chunk.minimum)
        for chunk in chunks
    ]


def test_the_first_policy_has_the_first_nodes_and_no_more_than_it_may():
    assert shown(CLOSE, 1, 10, 11, 20, 21) == [("a-0", [1, 10], 1), ("a-1", [11, 20], 1), ("a-2", [21], 1)]


def test_without_placement_and_with_a_policy_of_somebody_else_it_is_one_insert():
    for fleet in (Fleet(template="t"), replace(CLOSE, policy="projects/p/regions/r/resourcePolicies/mine")):
        assert shown(fleet, 1, 11, 21, minimum=2) == [("", [1, 11, 21], 2)]


def test_what_needs_all_its_machines_is_not_made_in_part():
    assert shown(CLOSE, 1, 2, 11, minimum=3) == [("a-0", [1, 2], 2), ("a-1", [11], 1)]


def test_jobs_have_inserts_of_their_own_and_nodes_that_need_no_others_are_together():
    assert shown(CLOSE, 1, 12, 3, 4, 9, 10, 11, sizes=(1, 1, 2, 3)) == [
        ("a-0", [1], 1), ("a-1", [12], 1), ("a-0", [3, 4], 2), ("a-0", [9, 10], 2), ("a-1", [11], 1),
    ]  # fmt: skip


def ids(token: str, attempt: int = 0) -> list[str]:
    this = launch(1, 2, 3, 11, token=token, sizes=(1, 3))
    chunks = plan_chunks(this, CLOSE, "cfd")
    requests = [insert_request(this, CLOSE, each, cluster="cfd", project="p", attempt=attempt) for each in chunks]
    return [request.query["requestId"] for request in requests if request.query]


def test_a_request_has_an_id_of_its_own_and_the_same_one_whenever_it_is_sent():
    assert ids("t1") == ids("t1")
    assert len({*ids("t1"), *ids("t2"), *ids("t1", attempt=1)}) == 9
    assert delete_request("z", "n", "7", 0) == delete_request("z", "n", "7", 0)
    assert delete_request("z", "n", "7", 0) != delete_request("z", "n", "8", 0)


@pytest.mark.parametrize(("distance", "version"), [(None, "v1"), (2, "beta")])
def test_only_a_later_version_knows_how_far_apart_machines_may_be(distance, version):
    placement = Placement(machines=150, max_distance=distance)
    assert policy_version(placement) == version
    assert policy_document("n", placement, "").get("groupPlacementPolicy", {}).get("maxDistance") == distance
