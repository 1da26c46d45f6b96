"""How launches and deletions are asked for."""

import json
from dataclasses import replace

import pytest

from elastic.drivers.arm_shapes import AzureError
from elastic.drivers.azure_cluster import FIRST, SECOND, add_sets, inside, launch, make_driver, set_name
from elastic.drivers.conftest import Clock
from elastic.drivers.fake_arm import FakeArm
from hpc_components.elastic.drivers.contract import CapacityError, ThrottledError
from hpc_components.elastic.model import InstanceState

NAME = set_name(FIRST)


class Cut(BaseException):
    """The daemon dies."""


@pytest.fixture
def arm():
    arm = FakeArm(Clock())
    add_sets(arm, FIRST, SECOND)
    yield arm
    assert not arm.mistakes


@pytest.fixture
def driver(arm):
    return new_driver(arm)


def new_driver(arm, send=None):
    """Waiting moves the clock."""

    def sleep(seconds):
        arm.clock.now += seconds

    return make_driver(arm, send or inside(arm), sleep=sleep)


def blob(arm, name=NAME):
    return json.loads(arm.blobs[f"{name}.json"][1])


def cut_after(arm, action, *, answered=False):
    """Requests until one of this kind is carried out; with `answered`, until the next one after it."""
    seen = []

    def send(method, url, headers, body):
        if seen:
            raise Cut
        answer = inside(arm)(method, url, headers, body)
        if arm.action(method, url.removeprefix(arm.base).partition("?")[0])[0] == action:
            seen.append(action)
            if not answered:
                raise Cut
        return answer

    return send


@pytest.mark.parametrize("pool", [FIRST, SECOND], ids=["uniform", "flexible"])
def test_300_nodes_are_one_change_of_capacity_and_five_calls(pool, arm, driver):
    arm.host_seconds = 8
    driver.list()
    arm.calls.clear()
    driver.list()
    made = driver.launch(launch(*range(1, 301), minimum=4, pool=pool))
    assert len(made) == 300
    watched = arm.calls.pop("show operation")
    assert dict(arm.calls) == {"write blob": 3, "scale": 1, "list machines": 1}
    assert watched <= 3
    assert arm.sets[set_name(pool)].capacity == 300


def test_names_are_in_the_blob_for_the_nodes_in_the_order_of_ids(arm, driver):
    made = driver.launch(launch(5, 3, *range(10, 21)))
    vms = arm.sets[NAME].vms
    assert [vm.instance for vm in vms] == [str(number) for number in range(13)]
    assert blob(arm)["names"] == {vm.vm_id: each.node for vm, each in zip(vms, made, strict=True)}
    assert made[0].id == f"{NAME}/0/{vms[0].vm_id}"


def test_a_launch_is_in_the_blob_before_the_capacity_changes(arm):
    with pytest.raises(Cut):
        new_driver(arm, cut_after(arm, "scale")).launch(launch(1, 2, minimum=2))
    document = blob(arm)
    assert document["version"] == 1
    assert document["names"] == {}
    (record,) = document["launches"].values()
    assert record["nodes"] == ["cpu-1", "cpu-2"]
    assert record["known"] == []
    assert not record["done"]
    assert arm.sets[NAME].capacity == record["capacity"] == 2


@pytest.mark.parametrize("answered", [False, True], ids=["before its answer", "after it"])
@pytest.mark.parametrize("action", ["write blob", "scale", "show operation", "list machines"])
def test_a_launch_goes_on_after_a_crash_where_it_was(action, answered, arm):
    arm.host_seconds, arm.boot_seconds = 12, 40
    with pytest.raises(Cut):
        new_driver(arm, cut_after(arm, action, answered=answered)).launch(launch(1, 2, 3))
    made = new_driver(arm).launch(launch(1, 2, 3))
    assert [each.node for each in made] == ["cpu-1", "cpu-2", "cpu-3"]
    assert len(arm.vms()) == 3
    assert arm.calls["scale"] == 1


def test_an_operation_is_watched_after_a_restart(arm):
    arm.host_seconds, arm.left[FIRST.machine, FIRST.zone] = 30, 0
    arm.keeps_failed = False
    with pytest.raises(Cut):
        new_driver(arm, cut_after(arm, "show operation")).launch(launch(1, 2))
    with pytest.raises(CapacityError, match="AllocationFailed"):  # it is nowhere else
        new_driver(arm).launch(launch(1, 2))
    assert arm.calls["scale"] == 1


NAMED = replace(FIRST, zone="eastus")


@pytest.mark.parametrize("pool", [FIRST, NAMED], ids=["scale set", "availability set"])
@pytest.mark.parametrize("listed", ["before", "after"])
def test_a_changed_queue_s_nodes_are_of_its_newest_set(listed, pool, arm):
    """The old one stays with the jobs on it; Azure lists both in any order."""
    arm.sets.clear()
    driver = new_driver(arm)
    add_sets(arm, pool)
    driver.launch(launch(1, token="t1", pool=pool))
    (old,) = arm.sets.values()
    arm.clock.now += 60
    new = arm.add_set(
        f"{old.name}-x1", pool.machine, pool.zone, old.tags, spot=old.spot, flexible=old.flexible, named=old.named
    )
    if listed == "before":
        arm.sets = {new.name: new, old.name: old}
    assert [machine.node for machine in driver.list()] == ["cpu-1"]
    driver.launch(launch(2, token="t2", pool=pool))
    assert (len(old.vms), len(new.vms)) == (1, 1)
    assert {machine.node for machine in driver.list()} == {"cpu-1", "cpu-2"}


def test_machines_are_added_to_those_that_there_are(arm, driver):
    driver.launch(launch(1, 2))
    driver.launch(launch(7, 8, 9, token="t2"))
    assert arm.sets[NAME].capacity == 5
    assert sorted(blob(arm)["names"].values()) == ["cpu-1", "cpu-2", "cpu-7", "cpu-8", "cpu-9"]


def test_what_got_a_host_is_kept_and_the_rest_is_deleted_in_one_call(arm, driver):
    arm.host_seconds, arm.left[FIRST.machine, FIRST.zone] = 20, 3
    made = driver.launch(launch(*range(1, 9), minimum=2))
    assert [each.node for each in made] == ["cpu-1", "cpu-2", "cpu-3"]
    assert arm.calls["delete"] == 1
    assert arm.sets[NAME].capacity == 3
    assert len(blob(arm)["names"]) == 3
    assert {each.node for each in driver.list()} == {"cpu-1", "cpu-2", "cpu-3"}


@pytest.mark.parametrize("keeps", [True, False])
def test_fewer_than_the_minimum_are_deleted_and_nothing_is_left_of_the_launch(keeps, arm, driver):
    arm.keeps_failed, arm.left[FIRST.machine, FIRST.zone] = keeps, 3
    arm.stop_seconds = 20
    with pytest.raises(CapacityError, match="AllocationFailed"):
        driver.launch(launch(*range(1, 9), minimum=4))
    assert not arm.live()
    assert blob(arm) == {"version": 1, "names": {}, "launches": {}}
    assert {each.state for each in driver.list()} <= {InstanceState.STOPPING}
    assert driver.launch(launch(1, token="t2", pool=SECOND))


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("left", [0, 3])
def test_a_shortage_is_told_as_soon_as_azure_knows_of_it(left, keeps, arm, driver):
    arm.keeps_failed, arm.left[FIRST.machine, FIRST.zone] = keeps, left
    arm.host_seconds, arm.stop_seconds = 20, 60
    began = arm.clock.now
    with pytest.raises(CapacityError):
        driver.launch(launch(*range(1, 9), minimum=8))
    assert arm.clock.now - began <= 22
    assert arm.calls["delete"] == (1 if keeps or left else 0)


def test_no_name_is_given_before_there_are_enough(arm):
    arm.boot_seconds, named = 300, []
    arm.on_names = lambda scale_set, names: named.append(len(names))
    add = arm.room

    def slowly(scale_set, wanted):
        hosts = add(scale_set, wanted)
        arm.on_made = lambda scale_set, vm: setattr(vm, "ready", arm.clock.now + 10 * (1 + int(vm.instance)))
        return hosts

    arm.room = slowly
    made = new_driver(arm).launch(launch(1, 2, 3, 4, 5, minimum=3))
    assert len(made) == 5
    assert sorted({count for count in named if count}) == [3, 4, 5]  # and then at once, for they boot already


def test_a_launch_lasts_until_all_have_hosts_and_not_until_they_have_booted(arm, driver):
    arm.host_seconds, arm.boot_seconds = 30, 300
    began = arm.clock.now
    made = driver.launch(launch(1, 2))
    assert {each.state for each in made} == {InstanceState.PENDING}
    assert 30 <= arm.clock.now - began < 40


def test_the_next_launch_is_asked_for_while_machines_boot(arm, driver):
    arm.boot_seconds = 300
    driver.launch(launch(1, 2))
    driver.launch(launch(3, token="t2"))
    assert len(arm.live()) == 3
    assert arm.operations["1"].document(arm.clock.now)["status"] == "Canceled"


def test_a_scale_set_that_takes_one_change_at_a_time_is_waited_for(arm, driver):
    arm.boot_seconds, arm.one_at_a_time = 60, True
    driver.launch(launch(1, 2))
    began = arm.clock.now
    driver.launch(launch(3, token="t2"))
    assert 50 < arm.clock.now - began < 80
    assert len(arm.live()) == 3


@pytest.mark.parametrize("where", ["location", "nowhere"])
def test_however_azure_tells_of_an_operation(where, arm, driver):
    arm.says_where, arm.host_seconds = where, 20
    assert len(driver.launch(launch(1, 2))) == 2


def test_an_operation_is_never_looked_for_at_an_address_that_is_not_azures(arm):
    asked = []

    def send(method, url, headers, body):
        asked.append(url)
        answer = inside(arm)(method, url, headers, body)
        if method == "PATCH":
            answer.headers["azure-asyncoperation"] = "https://elsewhere.test/operations/1"
        return answer

    assert len(new_driver(arm, send).launch(launch(1))) == 1
    assert all(url.startswith(arm.base) for url in asked)


def test_a_change_of_somebody_else_is_not_undone(arm, driver):
    driver.launch(launch(1))
    driver.list()
    arm.scale(NAME, 3, None)  # by hand, after the scale set was read
    driver.launch(launch(2, 3, 4, token="t2"))
    assert sorted(each.node for each in driver.list()) == ["cpu-1", "cpu-2", "cpu-3", "cpu-4"]
    assert arm.sets[NAME].capacity == 4


def test_a_capacity_that_is_shown_as_0_for_a_moment_ends_no_machine(arm, driver):
    driver.launch(launch(*range(1, 7)))
    for sees in (driver, new_driver(arm)):
        arm.forgets_capacity = 1
        sees.list()
        arm.forgets_capacity = 2
        sees.launch(launch(7, token=f"t{id(sees)}"))
    assert len(arm.live()) == 8


def test_a_capacity_that_counts_what_is_deleted_asks_for_no_more(arm, driver):
    arm.counts_late, arm.stop_seconds = True, 60
    made = driver.launch(launch(*range(1, 7)))
    driver.terminate([each.id for each in made[:4]])
    driver.launch(launch(11, token="t2"))
    assert len(arm.live()) == 3
    assert len(arm.vms()) == 7


def test_a_request_that_arrives_late_makes_no_second_set(arm):
    """The daemon has given it up and asked for other machines since."""
    lost = []

    def send(method, url, headers, body):
        if method == "PATCH" and not lost:
            lost.append((method, url, headers, body))
            raise OSError("timed out")
        return inside(arm)(method, url, headers, body)

    driver = new_driver(arm, send)
    with pytest.raises(OSError, match="timed out"):
        driver.launch(launch(1, 2, 3))
    driver.launch(launch(4, token="t2"))
    assert arm.send(*lost[0])[0] == 412
    assert [each.node for each in driver.list()] == ["cpu-4"]


def test_what_a_given_up_launch_has_made_gets_its_names_from_the_list(arm):
    def send(method, url, headers, body):
        answer = inside(arm)(method, url, headers, body)
        if method == "PATCH":
            raise OSError("timed out")
        return answer

    driver = new_driver(arm, send)
    with pytest.raises(OSError, match="timed out"):
        driver.launch(launch(1, 2))
    assert sorted((each.node, each.token) for each in driver.list()) == [("cpu-1", "t1"), ("cpu-2", "t1")]
    assert [launched["done"] for launched in blob(arm)["launches"].values()] == [True]


def test_a_token_that_was_used_is_never_used_again(arm, driver):
    made = driver.launch(launch(1, 2))
    driver.terminate([each.id for each in made])
    driver.list()
    driver.launch(launch(3, token="t2"))
    assert {each.state for each in driver.launch(launch(1, 2))} <= {InstanceState.GONE}
    assert not new_driver(arm).launch(launch(1, 2))
    arm.clock.now += 7 * 3600
    driver.launch(launch(4, token="t3"))
    assert "t1" not in blob(arm)["launches"]


def test_an_id_that_is_used_again_is_not_the_old_machines(arm, driver):
    (old,) = driver.launch(launch(1))
    arm.clock.now += 100
    arm.evict(arm.sets[NAME], arm.live()[0])
    (new,) = driver.launch(launch(2, token="t2"))
    assert old.id.rpartition("/")[0] == new.id.rpartition("/")[0]
    driver.terminate([old.id])
    assert len(arm.live()) == 1
    assert [each.node for each in driver.find([old.id, new.id]) if each.alive] == ["cpu-2"]
    assert arm.calls["delete"] == 0


def test_deletions_are_one_call_for_each_scale_set(arm, driver):
    made = [*driver.launch(launch(*range(1, 31))), *driver.launch(launch(40, token="t2", pool=SECOND))]
    arm.calls.clear()
    driver.terminate([each.id for each in made])
    assert dict(arm.calls) == {"delete": 2}
    assert not arm.live()
    arm.calls.clear()
    driver.list()
    driver.terminate([each.id for each in made])
    assert arm.calls["delete"] == 0


def test_a_machine_that_goes_meanwhile_does_not_keep_the_others(arm, driver):
    made = driver.launch(launch(1, 2, 3))
    arm.clock.now += 100
    driver.list()
    arm.evict(arm.sets[NAME], arm.live()[1])
    with pytest.raises(OSError, match=f"Azure currently can't find machines .*: {NAME}/1$"):
        driver.terminate([each.id for each in made])
    assert not arm.live()
    assert arm.calls["delete"] == 2


def test_a_machine_that_has_gone_and_is_listed_still_does_not_keep_the_others(arm, driver):
    made = driver.launch(launch(1, 2, 3))
    delete = arm.delete

    def gone(name, instances):
        if "1" in instances:
            words = "The provided instanceId 1 is not an active Virtual Machine Scale Set VM instanceId."
            raise AzureError("InvalidParameter", words)
        return delete(name, instances)

    arm.delete = gone
    with pytest.raises(OSError, match=f"Azure currently can't find machines .*: {NAME}/1$"):
        driver.terminate([each.id for each in made])
    assert [each.instance for each in arm.live()] == ["1"]


def test_machines_are_deleted_by_force_where_azure_allows_it(arm, driver):
    made = driver.launch(launch(1, 2, 3))
    driver.terminate([made[0].id])
    assert arm.forced == 1
    arm.allows_force = False
    for machine in made[1:]:
        driver.terminate([machine.id])
    assert not arm.live()
    assert (arm.forced, arm.calls["delete"]) == (1, 4)  # it is tried once


def test_a_scale_set_is_looked_at_no_more_often_than_azure_allows(arm, driver):
    arm.throttled = True
    driver.launch(launch(1))
    (fleet,) = (fleet for fleet in driver._fleets.values() if fleet.name == NAME)
    began = arm.clock.now
    for _ in range(60):
        fleet.refresh()
    assert arm.calls["show set"] >= 60
    assert arm.clock.now >= began + (60 - 36) / 12 * 60 - 60


def test_an_error_of_one_scale_set_does_not_keep_the_machines_of_the_others(arm, driver):
    made = [*driver.launch(launch(1)), *driver.launch(launch(2, token="t2", pool=SECOND))]
    delete = arm.delete

    def locked(name, instances):
        if name == NAME:
            raise AzureError("ScopeLocked", "There is a lock.", 409)
        return delete(name, instances)

    arm.delete = locked
    with pytest.raises(Exception, match="ScopeLocked"):
        driver.terminate([each.id for each in made])
    assert len(arm.live()) == 1


def test_a_new_driver_that_can_t_read_the_scale_sets_ends_nothing_and_says_so(arm, driver):
    (made,) = driver.launch(launch(1))
    arm.fail["list sets"] = AzureError("InternalServerError", "Sorry.", 500)
    with pytest.raises(OSError, match="InternalServerError"):
        new_driver(arm).terminate([made.id])


@pytest.mark.parametrize("offset", [0, 17, 43])
def test_no_scale_set_is_asked_more_often_than_azure_allows(offset, arm):
    """Launches and deletions one after the other, with a list every five seconds, are never throttled."""
    arm.throttled = True
    arm.clock.now += offset
    driver = new_driver(arm)
    began = arm.clock.now
    for number in range(30):
        made = driver.launch(launch(number + 1, token=f"t{number}"))
        ids = [each.id for each in made]
        while ids:
            driver.list()
            arm.clock.now += 5
            try:
                driver.terminate(ids)
                ids = []
            except ThrottledError as error:
                assert "the rate limit for deletions in " in str(error)  # noqa: PT017  it may be or not
    assert not arm.live()
    assert arm.calls["scale"] == arm.calls["delete"] == 30
    assert arm.clock.now - began > 60 * (30 - 12) / 4
