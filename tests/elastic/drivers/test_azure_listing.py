"""What the daemon is told of machines, and what that costs."""

from dataclasses import replace

import pytest

from elastic.drivers.arm_shapes import AzureError
from elastic.drivers.azure_cluster import FIRST, SECOND, add_sets, inside, launch, make_driver, set_name
from elastic.drivers.conftest import Clock
from elastic.drivers.fake_arm import FakeArm
from hpc_components.elastic.drivers.contract import FailedError, RefusedError
from hpc_components.elastic.model import InstanceState

NAME = set_name(FIRST)
NEW = replace(FIRST, machine="Standard_HB120rs_v2")


@pytest.fixture
def arm():
    arm = FakeArm(Clock())
    add_sets(arm, FIRST, SECOND)
    yield arm
    assert not arm.mistakes


@pytest.fixture
def driver(arm):
    return make_driver(arm, inside(arm))


def later(arm, driver, seconds=100):
    arm.clock.now += seconds
    return {each.node: each for each in driver.list()}


def test_a_list_is_one_call_for_each_scale_set_that_is_not_empty(arm, driver):
    driver.list()
    driver.launch(launch(1, 2))
    arm.calls.clear()
    driver.list()
    assert dict(arm.calls) == {"list machines": 1}
    driver.launch(launch(3, token="t2", pool=SECOND))
    arm.calls.clear()
    driver.list()
    assert dict(arm.calls) == {"list machines": 2}


def test_scale_sets_are_read_with_each_cycle_that_was_not_woken_right_after_another(arm, driver):
    driver.list()
    arm.calls.clear()
    for seconds in (1, 1, 1, 5, 1):
        later(arm, driver, seconds)
    assert dict(arm.calls) == {"list sets": 1}


def test_a_scale_set_that_the_stack_has_replaced_since_is_not_launched_in_nor_listed(arm, driver):
    driver.launch(launch(1))
    driver.terminate([driver.list()[0].id])
    arm.calls.clear()
    old = arm.sets.pop(NAME)
    arm.sets[f"{NAME}-b"] = old
    old.name, old.id = f"{NAME}-b", f"{old.id}-b"
    later(arm, driver, 1)
    assert arm.calls["list sets"] == 1
    arm.sets[f"{NAME}-c"] = arm.sets.pop(f"{NAME}-b")
    old.name, old.id = f"{NAME}-c", old.id[:-1] + "c"
    with pytest.raises(FailedError, match="was not found"):
        driver.launch(launch(2, token="t2"))
    assert [each.node for each in driver.launch(launch(2, token="t2"))] == ["cpu-2"]


def test_pages_are_read_to_the_end_and_a_machine_that_is_on_two_counts_once(arm, driver):
    arm.page = 3
    driver.launch(launch(*range(1, 11), pool=SECOND))
    assert len(driver.list()) == 10
    vms = arm.sets[set_name(SECOND)].vms
    vms.insert(0, vms[5])
    assert len(driver.list()) == 10


def test_other_clusters_machines_are_not_ours(arm, driver):
    add_sets(arm, FIRST, cluster="other")
    add_sets(arm, FIRST, cluster="cfd", config="another/config")  # of another stack, under the same name
    arm.scale(set_name(FIRST, "other"), 3, None)
    assert driver.list() == []
    with pytest.raises(RefusedError, match="cluster cfd has no scale set"):
        driver.launch(launch(1))


def test_a_machine_without_a_name_goes_by_its_id(arm, driver):
    arm.scale(NAME, 1, None)  # by hand
    (machine,) = driver.list()
    assert machine.node == machine.id == f"{NAME}/0/{arm.live()[0].vm_id}"
    assert machine.token == ""
    driver.terminate([machine.id])
    assert not arm.live()


@pytest.mark.parametrize("power", ["stopped", "stopping", "deallocated", "deallocating"])
def test_a_machine_that_shuts_itself_down_is_failing_for_it_still_costs(power, arm, driver):
    driver.launch(launch(1, 2))
    arm.live()[0].power = power
    told = later(arm, driver)
    assert (told["cpu-1"].failing, told["cpu-1"].alive) == (f"Azure reports the machine as {power}", True)
    assert told["cpu-2"].failing == ""


def test_a_machine_that_runs_is_not_failing_whatever_azure_thinks_of_it(arm, driver):
    driver.launch(launch(1))
    words = "OS Provisioning for VM 'x' did not finish in the allotted time."
    arm.live()[0].late_fault = AzureError("OSProvisioningTimedOut", words)
    assert later(arm, driver)["cpu-1"].failing == ""


def test_a_machine_without_a_host_is_failing_and_says_why(arm, driver):
    arm.left[FIRST.machine, FIRST.zone] = 0
    arm.scale(NAME, 1, None)
    (machine,) = driver.list()
    assert machine.failing == "Azure could not start the machine: AllocationFailed"


@pytest.mark.parametrize(("pool", "taken"), [(FIRST, False), (SECOND, True)], ids=["regular", "spot"])
def test_a_machine_that_has_gone_is_told_and_whether_azure_took_it_back(pool, taken, arm, driver):
    driver.launch(launch(1, 2, pool=pool))
    later(arm, driver)
    arm.evict(arm.sets[set_name(pool)], arm.live()[0])
    assert "cpu-1" not in later(arm, driver)
    told = later(arm, driver)
    assert (told["cpu-1"].state, told["cpu-1"].taken) == (InstanceState.GONE, taken)
    assert told["cpu-2"].state is InstanceState.RUNNING
    assert "cpu-1" in later(arm, driver, 3000)
    assert "cpu-1" not in later(arm, driver, 1000)


def test_a_spot_machine_that_we_have_ended_was_not_taken(arm, driver):
    (made,) = driver.launch(launch(1, pool=SECOND))
    driver.terminate([made.id])
    told = later(arm, driver)
    assert (told["cpu-1"].state, told["cpu-1"].taken) == (InstanceState.GONE, False)


def test_what_a_list_omits_has_not_gone(arm, driver):
    driver.launch(launch(1, 2))
    later(arm, driver)
    arm.forgotten = {arm.live()[0].vm_id}
    assert set(later(arm, driver)) == {"cpu-2"}  # neither gone, nor listed: the daemon asks for it
    arm.forgotten = set()
    assert later(arm, driver)["cpu-1"].state is InstanceState.RUNNING


@pytest.mark.parametrize("pool", [FIRST, SECOND], ids=["uniform", "flexible"])
def test_a_machine_that_is_there_again_after_its_name_was_forgotten_is_no_new_one(pool, arm, driver):
    (old,) = driver.launch(launch(1, pool=pool))
    later(arm, driver)
    arm.unknown = {old.id.rpartition("/")[2]}
    later(arm, driver)
    assert later(arm, driver)["cpu-1"].state is InstanceState.GONE
    driver.launch(launch(2, token="t2", pool=pool))
    arm.unknown = set()
    (new,) = driver.launch(launch(3, token="t3", pool=pool))
    assert new.id != old.id
    assert {each.node: each.token for each in driver.list()} == {"cpu-1": "t1", "cpu-2": "t2", "cpu-3": "t3"}


def test_a_machine_that_is_deleted_in_vain_is_there_again(arm, driver):
    (made,) = driver.launch(launch(1))
    driver.terminate([made.id])
    vm = arm.sets[NAME].vms[0]
    vm.ended, vm.settled, arm.sets[NAME].capacity = None, False, 1
    assert later(arm, driver, 10)["cpu-1"].state is InstanceState.STOPPING
    assert later(arm, driver)["cpu-1"].state is InstanceState.RUNNING
    driver.terminate([made.id])
    assert not arm.live()


def test_many_that_have_gone_are_looked_for_a_few_at_a_time(arm, driver):
    driver.launch(launch(*range(1, 61)))
    later(arm, driver)
    for vm in arm.live()[:50]:
        arm.evict(arm.sets[NAME], vm)
    gone, looks = [], []
    for _ in range(20):
        arm.calls.clear()
        gone.append(sum(each.state is InstanceState.GONE for each in later(arm, driver, 5).values()))
        looks.append(arm.calls["show machine"])
    assert gone[:12] == [0] * 12, "within a minute"
    assert gone[-1] == 50
    assert max(looks) <= 20
    assert sum(looks) <= 4 * 50


def test_many_are_found_by_their_ids_with_a_list(arm, driver):
    made = driver.launch(launch(*range(1, 41)))
    arm.calls.clear()
    arm.forgotten = {vm.vm_id for vm in arm.live()[:5]}
    assert len(driver.find([each.id for each in made])) == 40
    assert dict(arm.calls) == {"list machines": 1, "show machine": 5}


def test_names_outlive_the_daemon(arm, driver):
    made = driver.launch(launch(1, 2))
    again = make_driver(arm, inside(arm))
    assert [(each.id, each.node, each.token) for each in again.list()] == [
        (each.id, each.node, "t1") for each in made
    ]
    assert {each.id for each in again.find([], ["t1"])} == {each.id for each in made}


def test_names_of_machines_that_went_while_nobody_looked_are_forgotten(arm, driver):
    driver.launch(launch(1, 2))
    arm.evict(arm.sets[NAME], arm.live()[0])
    again = make_driver(arm, inside(arm))
    again.list()
    again.launch(launch(3, token="t2"))
    assert '"cpu-1"' in arm.blobs[f"{NAME}.json"][1].decode()  # the list may be behind
    arm.clock.now += 100
    again.list()
    again.launch(launch(4, token="t3"))
    assert '"cpu-1"' not in arm.blobs[f"{NAME}.json"][1].decode().partition("launches")[0]


def test_a_scale_set_that_the_stack_has_made_since_is_found(arm, driver):
    other = launch(1, pool=FIRST.__class__(queue="gpu", machine="Standard_ND96", zone="eastus-1", purchase="spot"))
    with pytest.raises(RefusedError):
        driver.launch(other)
    add_sets(arm, other.pool)
    assert driver.launch(other)


def test_azure_says_that_the_identity_may_not_list(arm, driver):
    arm.fail["list sets"] = AzureError("AuthorizationFailed", "The client does not have authorization.", 403)
    with pytest.raises(
        RefusedError, match=r"AuthorizationFailed: The client .*head node's identity still has the roles"
    ):
        driver.list()


def test_a_blob_that_may_not_be_written_refuses_the_launch(arm):
    def send(method, url, headers, body):
        answer = inside(arm)(method, url, headers, body)
        if method == "PUT":
            return type(answer)(
                status=403, headers={"x-ms-error-code": "AuthorizationPermissionMismatch"}, body=b"<x/>"
            )
        return answer

    with pytest.raises(RefusedError, match="AuthorizationPermissionMismatch; check that the head node's identity"):
        make_driver(arm, send).launch(launch(1))
    assert arm.calls["scale"] == 0


def test_a_blob_of_another_version_stops_the_launch(arm, driver):
    arm.blobs[f"{NAME}.json"] = 1, b'{"version": 2, "names": {}, "launches": {}}'
    with pytest.raises(OSError, match=r"malformed.*version 2"):
        driver.launch(launch(1))
    assert arm.calls["scale"] == 0


def test_a_blob_that_somebody_else_changes_is_read_again(arm, driver):
    driver.launch(launch(1))
    changes, body = arm.blobs[f"{NAME}.json"]
    arm.blobs[f"{NAME}.json"] = changes + 1, body
    assert driver.launch(launch(2, token="t2"))


def test_machines_of_a_scale_set_that_did_not_answer_are_told_apart_from_refused_ones(arm, driver):
    other = FIRST.__class__(queue="gpu", machine="Standard_ND96", zone="eastus-1", purchase="on_demand")
    add_sets(arm, other)
    made = [*driver.launch(launch(1)), *driver.launch(launch(2, pool=other, token="t2"))]
    turns = iter([AzureError("AuthorizationFailed", "No.", 403), AzureError("InternalServerError", "Sorry.", 500)])

    def send(method, url, headers, body):
        if arm.purpose(method, url, body) == "delete":
            arm.fail["delete"] = next(turns)
        return inside(arm)(method, url, headers, body)

    again = make_driver(arm, send)
    with pytest.raises(RefusedError, match="AuthorizationFailed") as caught:
        again.terminate([each.id for each in made])
    assert (len(caught.value.kept), len(caught.value.unclear)) == (1, 1)
    assert {*caught.value.kept, *caught.value.unclear} == {each.id for each in made}
