"""What Google Cloud's driver does beyond the contract: names, placement policies, and what became of machines."""

from collections import Counter

import pytest

from hpc_components.elastic.drivers.contract import (
    CapacityError,
    FailedError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.model import InstanceState, Pool

from .conftest import Clock
from .fake_gce import FakeGce
from .gce_shapes import NEVER, FaultError, Policy, Template
from .gcp_cluster import FIRST, REGION, SECOND, add_fleets, inside, launch, make_driver, template_id

OURS = "made by hpc-elastic for cluster cfd"


@pytest.fixture
def gce(clock):
    gce = FakeGce(clock)
    add_fleets(gce, FIRST, SECOND)
    yield gce
    assert not gce.mistakes


@pytest.fixture
def close(gce):
    """With machines in policies of ten."""
    add_fleets(gce, FIRST, SECOND, machines=10)
    gce.most_of_a_policy = 10
    return gce


@pytest.fixture
def driver(gce, clock):
    def sleep(seconds: float) -> None:
        clock.now += seconds

    return make_driver(gce, inside(gce), sleep)


def restarted(gce: FakeGce, clock: Clock):
    """The driver of a daemon that has just started."""

    def sleep(seconds: float) -> None:
        clock.now += seconds

    return make_driver(gce, inside(gce), sleep)


def numbers(gce: FakeGce) -> list[str]:
    return sorted(vm.name for vm in gce.live())


def test_machines_have_the_nodes_names_and_the_templates_labels_beside_the_launchs(driver, gce):
    driver.launch(launch(3, 1))
    assert [(vm.name, vm.labels["owner"], vm.labels["hpc_launch"]) for vm in gce.live()] == [
        ("cfd-cpu-3", "tom", "t1"),
        ("cfd-cpu-1", "tom", "t1"),
    ]


def test_machines_of_other_clusters_are_none_of_ours(driver, gce):
    add_fleets(gce, FIRST, cluster="other")
    make_driver(gce, inside(gce), cluster="other").launch(launch(1, token="o1"))
    add_fleets(gce, FIRST)
    driver.launch(launch(1, token="t1", pool=FIRST))
    assert [each.node for each in driver.list()] == ["cpu-1"]


@pytest.mark.parametrize("purchase", ["on_demand", "spot", "flex_start"])
def test_how_a_machine_was_bought_is_read_from_it(purchase, gce, driver):
    pool = Pool(queue="gpu", machine="g2-standard-96", zone="us-central1-c", purchase=purchase)
    add_fleets(gce, pool)
    assert [each.pool for each in driver.launch(launch(1, pool=pool))] == [pool]
    assert [each.pool for each in driver.list()] == [pool]


# Placement policies.


def test_a_launch_is_a_call_for_policies_and_a_call_for_machines_however_many_there_are(driver, close):
    driver.list()
    close.http.clear()
    made = driver.launch(launch(*range(1, 96), minimum=95))
    assert len(made) == 95
    # The fleets, the policies made and looked at, the machines made and looked at.
    calls = {"read object": 1, "make policy": 1, "list policies": 1, "launch": 1, "list launch": 1}
    assert close.http == Counter(calls)
    assert close.calls["launch"] == close.calls["make policy"] == 10
    assert close.policies_there() == [f"cfd-cpu-a-{number}" for number in range(10)]


def test_a_node_that_is_launched_again_stands_by_its_neighbours(driver, close):
    driver.launch(launch(1, 2, 11))
    driver.launch(launch(3, 12, token="t2"))
    policies = {vm.name: vm.policies[0].rpartition("/")[2] for vm in close.live()}
    assert policies == {
        "cfd-cpu-1": "cfd-cpu-a-0", "cfd-cpu-2": "cfd-cpu-a-0", "cfd-cpu-3": "cfd-cpu-a-0",
        "cfd-cpu-11": "cfd-cpu-a-1", "cfd-cpu-12": "cfd-cpu-a-1",
    }  # fmt: skip


def test_how_far_apart_machines_may_be_is_told_to_the_version_that_knows_it(driver, gce):
    add_fleets(gce, FIRST, machines=22, max_distance=1)
    driver.launch(launch(1))
    (policy,) = gce.policies.values()
    assert policy.group == {"collocation": "COLLOCATED", "maxDistance": 1}


def test_a_policy_of_the_users_own_is_used_as_it_is_and_kept(driver, gce, clock):
    add_fleets(gce, FIRST, machines=10, policy=f"projects/p/regions/{REGION}/resourcePolicies/mine")
    gce.policies[REGION, "mine"] = Policy("mine", "", {}, 0.0)
    (made,) = driver.launch(launch(1))
    assert [vm.policies for vm in gce.live()] == [[f"projects/p/regions/{REGION}/resourcePolicies/mine"]]
    driver.terminate([made.id])
    driver.list()
    clock.now += 1000
    driver.list()
    assert gce.policies_there() == ["mine"]


def test_a_policy_goes_with_its_last_machine_and_not_before(driver, close, clock):
    close.stop_seconds = 40
    made = driver.launch(launch(1, 2, 11))
    driver.terminate([made[0].id, made[2].id])
    driver.list()
    assert close.policies_there() == ["cfd-cpu-a-0", "cfd-cpu-a-1"]  # a machine that is being deleted has its policy
    clock.now += 61
    driver.list()
    assert close.policies_there() == ["cfd-cpu-a-0"]


def test_policies_that_a_dead_daemon_left_are_removed_and_no_others(close, clock):
    for name, words in (("cfd-cpu-a-7", OURS), ("cfd-spread-a1b2", "of the stack"), ("cfd2-cpu-a-0", OURS + "2")):
        close.policies[REGION, name] = Policy(name, words, {}, 0.0)
    restarted(close, clock).list()
    assert close.policies_there() == ["cfd-spread-a1b2", "cfd2-cpu-a-0"]


def test_a_policy_that_is_being_deleted_is_waited_for_and_made_again(driver, close, clock):
    close.policy_seconds = 5
    (made,) = driver.launch(launch(1))
    driver.terminate([made.id])
    clock.now += 61
    driver.list()
    (policy,) = close.policies.values()
    assert policy.gone != NEVER
    driver.launch(launch(1, token="t2"))
    assert numbers(close) == ["cfd-cpu-1"]


def test_a_policy_that_somebody_has_deleted_is_made_again_when_the_launch_is_repeated(driver, close, clock):
    (made,) = driver.launch(launch(1))
    driver.terminate([made.id])
    close.policies.clear()
    with pytest.raises(FailedError, match="resourcePolicies"):
        driver.launch(launch(2, token="t2"))
    driver.launch(launch(2, token="t2"))
    assert numbers(close) == ["cfd-cpu-2"]


# All or nothing.


def test_rather_none_than_some_of_two_policies(driver, close, clock):
    close.left[FIRST.machine, FIRST.zone] = 12
    with pytest.raises(CapacityError, match="ZONE_RESOURCE_POOL_EXHAUSTED"):
        driver.launch(launch(*range(1, 21), minimum=20))
    assert not close.live()
    for _ in range(2):
        clock.now += 61
        driver.list()
    assert not close.policies_there()


def test_some_of_two_policies_where_that_is_enough(driver, close):
    close.left[FIRST.machine, FIRST.zone] = 12
    assert len(driver.launch(launch(*range(1, 21), minimum=5))) == 12


@pytest.mark.parametrize("rolls_back", [False, True])
def test_machines_that_google_deletes_again_are_not_counted(rolls_back, driver, gce):
    gce.rolls_back, gce.operation_seconds, gce.stop_seconds = rolls_back, 5, 30
    gce.left[FIRST.machine, FIRST.zone] = 2
    with pytest.raises(CapacityError, match="ZONE_RESOURCE_POOL_EXHAUSTED"):
        driver.launch(launch(1, 2, 3, minimum=3))
    assert not gce.live()


def test_bulk_inserts_that_are_one_too_many_are_sent_again(driver, close):
    turns = iter([False, True, True, False, False])

    def admit(action, names, body) -> None:
        if action == "launch" and next(turns):
            raise FaultError("rateLimitExceeded", "Slow down.", 403)

    close.on_request = admit
    assert len(driver.launch(launch(1, 11, 21, minimum=3))) == 3
    assert len(close.live()) == 3


# Names.


@pytest.mark.parametrize("knows", [True, False])
def test_a_name_is_free_when_its_former_machine_has_gone(knows, driver, gce, clock):
    """Also if the daemon has started since, so that only Google knows of the former machine."""
    gce.stop_seconds = 50
    (old,) = driver.launch(launch(1))
    driver.terminate([old.id])
    began, now = clock.now, driver if knows else restarted(gce, clock)
    made = now.launch(launch(1, 2, minimum=2, token="t2"))
    assert [each.node for each in made] == ["cpu-1", "cpu-2"]
    assert {each.token for each in made} == {"t2"}
    assert 50 <= clock.now - began <= 60
    assert numbers(gce) == ["cfd-cpu-1", "cfd-cpu-2"]


def test_a_machine_of_another_launch_is_not_taken_for_ours(driver, gce, clock):
    (old,) = driver.launch(launch(1))
    with pytest.raises(FailedError, match="cfd-cpu-1 is there already, made by another launch"):
        restarted(gce, clock).launch(launch(1, 2, token="t2"))
    assert [(vm.name, vm.number) for vm in gce.live()] == [("cfd-cpu-1", old.id.rpartition("/")[2])]


def test_a_machine_of_somebody_else_is_named(driver, gce):
    gce.left.clear()
    gce._make("cfd-cpu-1", FIRST.zone, Template("e2-micro", {}), {"owner": "ann"}, [], gce.clock())
    with pytest.raises(
        RefusedError, match="cfd-cpu-1 is there already in us-central1-a, and is none of the cluster's"
    ):
        driver.launch(launch(1, 2, minimum=1))
    assert numbers(gce) == ["cfd-cpu-1"]


def test_a_machine_that_has_shut_down_makes_room_for_the_next_of_its_name(driver, gce):
    driver.launch(launch(1))
    gce.live()[0].power = "TERMINATED"
    gce.stop_seconds = 30
    (made,) = driver.launch(launch(1, token="t2"))
    assert made.token == "t2"


def test_a_deletion_that_is_late_does_not_end_the_next_machine_of_that_name(driver, gce, clock):
    requests = []
    gce.on_request = lambda action, names, body: requests.append(names) if action == "terminate" else None
    (old,) = driver.launch(launch(1))
    driver.terminate([old.id])
    (request,) = gce._requests.keys() - {
        each for each in gce._requests if "bulk" in gce.operations[gce._requests[each]].kind
    }
    driver.launch(launch(1, token="t2"))
    gce.delete(*requests[0], request)
    assert numbers(gce) == ["cfd-cpu-1"]


def test_the_id_of_a_former_machine_ends_nothing(driver, gce, clock):
    (old,) = driver.launch(launch(1))
    driver.terminate([old.id])
    driver.launch(launch(1, token="t2"))
    driver.terminate([old.id])
    restarted(gce, clock).terminate([old.id])
    assert numbers(gce) == ["cfd-cpu-1"]


# What became of machines.


def test_a_machine_that_has_shut_down_is_failing_since_its_disks_cost_money(driver, gce):
    driver.launch(launch(1))
    gce.live()[0].power = "TERMINATED"
    (told,) = driver.list()
    assert (told.alive, told.failing) == (True, "Google Cloud says that it is TERMINATED")


def test_a_spot_machine_that_google_takes_back_is_being_ended_then_gone_and_taken(driver, gce, clock):
    gce.stop_seconds = 30
    driver.launch(launch(1, pool=SECOND))
    clock.now += 61
    gce.preempt(gce.live()[0])
    assert [each.state for each in driver.list()] == [InstanceState.STOPPING]
    clock.now += 31
    (told,) = driver.list()
    assert (told.state, told.taken) == (InstanceState.GONE, True)


def test_a_machine_that_somebody_deletes_has_gone_and_was_not_taken(driver, gce, clock):
    driver.launch(launch(1))
    clock.now += 61
    gce.delete(FIRST.zone, "cfd-cpu-1", "by-hand")
    assert [(each.state, each.taken) for each in driver.list()] == [(InstanceState.GONE, False)]


def test_an_old_machine_that_a_list_lacks_is_asked_for_by_its_name(driver, gce, clock):
    driver.launch(launch(1))
    clock.now += 61
    gce.forgotten = {gce.live()[0].number}
    assert [(each.node, each.state) for each in driver.list()] == [("cpu-1", InstanceState.RUNNING)]


def test_a_protected_machine_is_named_and_the_others_end(driver, gce):
    made = driver.launch(launch(1, 2))
    gce.live()[0].labels["keep"] = "true"
    with pytest.raises(RefusedError, match="protected against deletion") as caught:
        driver.terminate([each.id for each in made])
    assert caught.value.kept == (made[0].id,)
    assert numbers(gce) == ["cfd-cpu-1"]


def test_deletions_that_are_too_many_are_left_for_later(driver, gce):
    made = driver.launch(launch(1, 2, 3))
    turns = iter([False, True, True])

    def admit(action, names, body) -> None:
        if action == "terminate" and next(turns):
            raise FaultError("rateLimitExceeded", "Slow down.", 403)

    gce.on_request = admit
    with pytest.raises(OSError, match="2 of 3 machines are not being deleted yet"):
        driver.terminate([each.id for each in made])
    assert len(gce.live()) == 2


def test_a_deletion_in_vain_is_asked_for_again(driver, gce, clock):
    (made,) = driver.launch(launch(1))
    driver.terminate([made.id])
    (vm,) = gce.vms
    vm.ended = vm.gone = NEVER
    clock.now += 61
    assert driver.list()[0].alive
    driver.terminate([made.id])
    assert not gce.live()


# What the stack says.


def test_a_template_that_the_stack_has_made_since_is_used(driver, gce):
    driver.launch(launch(1))
    new = template_id(FIRST) + "-2"
    gce.templates[new] = gce.templates.pop(template_id(FIRST))
    queues = {"cpu": {"templates": {"h3-standard-88/us-central1-a": new}, "placement": None, "policy": None}}
    gce.put("head/fleets.json", {"version": 1, "project": "p", "queues": queues})
    driver.launch(launch(2, token="t2"))
    assert numbers(gce) == ["cfd-cpu-1", "cfd-cpu-2"]


def test_a_document_of_another_version_is_refused(driver, gce):
    gce.put("head/fleets.json", {"version": 2, "queues": {}})
    with pytest.raises(RefusedError, match="version 2 is not known here"):
        driver.launch(launch(1))


def test_a_token_that_is_not_taken_any_more_is_asked_for_again(driver, gce):
    driver.launch(launch(1))
    gce.token += 1
    assert len(driver.list()) == 1
    assert gce.http["token"] == 2


def test_during_a_pause_google_is_not_asked_at_all(driver, gce):
    gce.fail["list"] = FaultError("rateLimitExceeded", "Slow down.", 403)
    for _ in range(2):
        with pytest.raises(ThrottledError):
            driver.list()
    assert gce.calls["list"] == 1
