"""Placement policies that Google Cloud's driver makes and removes; and that a job gets all its machines or none."""

from collections import Counter
from random import Random

import pytest

from hpc_components.elastic.drivers.contract import CapacityError, FailedError

from .gce_shapes import NEVER, FaultError, Policy
from .gcp_cluster import FIRST, NOW, REGION, add_fleets, inside, launch, make_driver, numbers, restarted

OURS = "made by hpc-elastic for cluster cfd"


# Placement policies.


def test_a_launch_is_a_call_for_policies_and_a_call_for_machines_however_many_there_are(gcp, close):
    gcp.list()
    close.http.clear()
    made = gcp.launch(launch(*range(1, 96), minimum=95))
    assert len(made) == 95
    # The fleets, the policies made and looked at, the machines made and looked at.
    calls = {"read object": 1, "make policy": 1, "list policies": 1, "launch": 1, "list launch": 1}
    assert close.http == Counter(calls)
    assert close.calls["launch"] == close.calls["make policy"] == 10
    assert close.policies_there() == [f"cfd-cpu-a-{number}" for number in range(10)]


def test_a_node_that_is_launched_again_stands_by_its_neighbours(gcp, close):
    gcp.launch(launch(1, 2, 11))
    gcp.launch(launch(3, 12, token="t2"))
    policies = {vm.name: vm.policies[0].rpartition("/")[2] for vm in close.live()}
    assert policies == {
        "cfd-cpu-1": "cfd-cpu-a-0", "cfd-cpu-2": "cfd-cpu-a-0", "cfd-cpu-3": "cfd-cpu-a-0",
        "cfd-cpu-11": "cfd-cpu-a-1", "cfd-cpu-12": "cfd-cpu-a-1",
    }  # fmt: skip


def test_how_far_apart_machines_may_be_is_told_to_the_version_that_knows_it(gcp, gce):
    add_fleets(gce, FIRST, machines=22, max_distance=1)
    gcp.launch(launch(1))
    (policy,) = gce.policies.values()
    assert policy.group == {"collocation": "COLLOCATED", "maxDistance": 1}


def test_a_policy_of_the_users_own_is_used_as_it_is_and_kept(gcp, gce, clock):
    add_fleets(gce, FIRST, machines=10, policy=f"projects/p/regions/{REGION}/resourcePolicies/mine")
    gce.policies[REGION, "mine"] = Policy("mine", "", {}, 0.0)
    (made,) = gcp.launch(launch(1))
    assert [vm.policies for vm in gce.live()] == [[f"projects/p/regions/{REGION}/resourcePolicies/mine"]]
    gcp.terminate([made.id])
    gcp.list()
    clock.now += 1000
    gcp.list()
    assert gce.policies_there() == ["mine"]


def test_a_policy_goes_with_its_last_machine_and_not_before(gcp, close, clock):
    close.stop_seconds = 40
    made = gcp.launch(launch(1, 2, 11))
    gcp.terminate([made[0].id, made[2].id])
    gcp.list()
    assert close.policies_there() == ["cfd-cpu-a-0", "cfd-cpu-a-1"]  # a machine that is being deleted has its policy
    clock.now += 61
    gcp.list()
    assert close.policies_there() == ["cfd-cpu-a-0"]


def test_only_policies_left_by_a_dead_daemon_are_removed(close, clock):
    for name, words in (("cfd-cpu-a-7", OURS), ("cfd-spread-a1b2", "of the stack"), ("cfd2-cpu-a-0", OURS + "2")):
        close.policies[REGION, name] = Policy(name, words, {}, 0.0)
    restarted(close, clock).list()
    assert close.policies_there() == ["cfd-spread-a1b2", "cfd2-cpu-a-0"]


def test_a_policy_without_a_machine_stays_while_a_launch_needs_it(close, clock):
    close.policy_seconds = 20

    def sleep(seconds: float) -> None:
        clock.now += seconds
        gcp.list()
        assert close.policies_there() == ["cfd-cpu-a-0"]

    gcp = make_driver(close, inside(close), sleep)
    assert gcp.launch(launch(1))
    assert clock.now > NOW


def test_a_policy_that_is_being_deleted_is_waited_for_and_made_again(gcp, close, clock):
    close.policy_seconds = 5
    (made,) = gcp.launch(launch(1))
    gcp.terminate([made.id])
    clock.now += 61
    gcp.list()
    (policy,) = close.policies.values()
    assert policy.gone != NEVER
    gcp.launch(launch(1, token="t2"))
    assert numbers(close) == ["cfd-cpu-1"]


def test_a_policy_that_somebody_has_deleted_is_made_again_when_the_launch_is_repeated(gcp, close, clock):
    (made,) = gcp.launch(launch(1))
    gcp.terminate([made.id])
    close.policies.clear()
    with pytest.raises(FailedError, match="resourcePolicies"):
        gcp.launch(launch(2, token="t2"))
    gcp.launch(launch(2, token="t2"))
    assert numbers(close) == ["cfd-cpu-2"]


# All or nothing.


def test_a_launch_keeps_none_rather_than_some_of_two_policies(gcp, close, clock):
    close.left[FIRST.machine, FIRST.zone] = 12
    with pytest.raises(CapacityError, match="ZONE_RESOURCE_POOL_EXHAUSTED"):
        gcp.launch(launch(*range(1, 21), minimum=20))
    assert not close.live()
    for _ in range(2):
        clock.now += 61
        gcp.list()
    assert not close.policies_there()


def test_some_of_two_policies_are_kept_if_enough(gcp, close):
    close.left[FIRST.machine, FIRST.zone] = 12
    assert len(gcp.launch(launch(*range(1, 21), minimum=5))) == 12


def test_a_job_gets_all_its_machines_or_none_whichever_google_makes(gcp, close):
    """Three jobs of one node, one of six in two policies, one of eight; there is room for twelve."""
    close.left[FIRST.machine, FIRST.zone] = 12
    close.random = Random(3)
    made = gcp.launch(launch(*range(1, 4), *range(7, 13), *range(21, 29), sizes=(1, 1, 1, 6, 8)))
    assert [each.node for each in made] == [f"cpu-{number}" for number in (1, 2, 3, 7, 8, 9, 10, 11, 12)]
    assert len(close.live()) == 9


def test_a_job_of_two_policies_that_gets_one_of_them_gets_none(gcp, close):
    close.left[FIRST.machine, FIRST.zone] = 7
    made = gcp.launch(launch(1, 2, *range(7, 13), sizes=(1, 1, 6)))
    assert [each.node for each in made] == ["cpu-1", "cpu-2"]
    assert numbers(close) == ["cfd-cpu-1", "cfd-cpu-2"]


@pytest.mark.parametrize("rolls_back", [False, True])
def test_machines_that_google_deletes_again_are_not_counted(rolls_back, gcp, gce):
    gce.rolls_back, gce.operation_seconds, gce.stop_seconds = rolls_back, 5, 30
    gce.left[FIRST.machine, FIRST.zone] = 2
    with pytest.raises(CapacityError, match="ZONE_RESOURCE_POOL_EXHAUSTED"):
        gcp.launch(launch(1, 2, 3, minimum=3))
    assert not gce.live()


def test_bulk_inserts_that_are_one_too_many_are_sent_again(gcp, close):
    turns = iter([False, True, True, False, False])

    def admit(action, names, body) -> None:
        if action == "launch" and next(turns):
            raise FaultError("rateLimitExceeded", "Slow down.", 403)

    close.on_request = admit
    assert len(gcp.launch(launch(1, 11, 21, minimum=3))) == 3
    assert len(close.live()) == 3
