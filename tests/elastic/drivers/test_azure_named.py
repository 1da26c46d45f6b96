"""How machines of an availability set are asked for, watched and deleted."""

import pytest

from elastic.drivers.arm_shapes import AzureError
from elastic.drivers.azure_cluster import NAMED, add_sets, inside, launch, make_driver, set_name
from elastic.drivers.conftest import Clock
from elastic.drivers.fake_arm import FakeArm
from hpc_components.elastic.drivers.azure.errors import reasons_in
from hpc_components.elastic.drivers.contract import CapacityError, QuotaError, RefusedError, ThrottledError

SET = set_name(NAMED)


@pytest.fixture
def arm():
    arm = FakeArm(Clock())
    add_sets(arm, NAMED)
    yield arm
    assert not arm.mistakes


def new_driver(arm):
    """Waiting moves the clock."""

    def sleep(seconds):
        arm.clock.now += seconds

    return make_driver(arm, inside(arm), sleep=sleep)


def named(*numbers, **more):
    return launch(*numbers, pool=NAMED, **more)


def test_200_nodes_are_one_deployment_and_each_is_looked_at_once(arm):
    arm.host_seconds, arm.boot_seconds = 8, 600
    driver = new_driver(arm)
    made = driver.launch(named(*range(1, 201), minimum=200))
    assert [each.node for each in made] == [f"cpu-{number}" for number in range(1, 201)]
    assert (arm.calls["deploy"], arm.calls["show machine"]) == (1, 200)
    assert not arm.blobs, "nothing has to be written down"
    for _ in range(10):
        arm.clock.now += 30
        driver.list()
    assert arm.calls["show machine"] == 200


def test_a_machine_is_called_like_its_node_and_like_no_later_one(arm):
    arm.stop_seconds = 100
    driver = new_driver(arm)
    (first,) = driver.launch(named(1, token="a" * 32))
    driver.terminate([first.id])
    (second,) = driver.launch(named(1, token="b" * 32))
    assert (first.node, second.node) == ("cpu-1", "cpu-1")
    assert first.id.startswith(f"{SET}/cpu-1-aaaaaaaa/")
    assert second.id.startswith(f"{SET}/cpu-1-bbbbbbbb/")


def test_machines_that_run_are_kept_whatever_azure_says_of_their_start(arm):
    """More of them than are looked at at once; one has no host, so that the deployment fails."""
    arm.left[NAMED.machine, NAMED.zone] = 59

    def late(_, vm):
        vm.late_fault = AzureError("OSProvisioningTimedOut") if vm.fault is None else None

    arm.on_made = late
    made = new_driver(arm).launch(named(*range(1, 61), minimum=10))
    assert len(made) == len(arm.live()) == 59


def test_what_has_no_host_is_deleted_and_the_others_are_kept(arm):
    arm.left[NAMED.machine, NAMED.zone] = 3
    driver = new_driver(arm)
    made = driver.launch(named(1, 2, 3, 4, 5, minimum=2))
    assert len(made) == 3
    assert arm.calls["delete machine"] == 2
    assert {each.id for each in driver.list() if each.alive} == {each.id for each in made}
    assert list(driver.launch(named(1, 2, 3, 4, 5, minimum=2))) == list(made)


def test_a_failed_launch_fails_again_after_a_crash(arm):
    arm.left[NAMED.machine, NAMED.zone] = 3
    for driver in (new_driver(arm), new_driver(arm)):
        with pytest.raises(CapacityError, match="AllocationFailed"):
            driver.launch(named(1, 2, 3, 4, minimum=4))
    assert arm.calls["deploy"] == 1
    assert not arm.live()


@pytest.mark.parametrize("minimum", [4, 2], ids=["none are kept", "some are kept"])
def test_a_machine_that_is_unknown_while_a_failed_launch_is_cleared_away_is_listed_later(arm, minimum):
    """One "not found" is believed then, so the daemon must see the machine once Azure does, to end it."""
    arm.left[NAMED.machine, NAMED.zone] = 3
    arm.on_made = lambda _, vm: arm.unknown.add(vm.vm_id) if not arm.unknown else None
    driver = new_driver(arm)
    if minimum == 4:
        with pytest.raises(CapacityError, match="AllocationFailed"):
            driver.launch(named(1, 2, 3, 4, minimum=minimum))
    else:
        assert len(driver.launch(named(1, 2, 3, 4, minimum=minimum))) == 2
    (hidden,) = arm.unknown
    arm.unknown = set()
    listed = {each.id: each for each in driver.list() if each.alive}
    (late,) = [each for each in listed.values() if each.id.endswith(hidden)]
    assert late.token == "t1"
    driver.terminate(listed)
    assert not arm.live()


def test_a_machine_that_has_gone_meanwhile_does_not_keep_the_others(arm):
    driver = new_driver(arm)
    made = driver.launch(named(1, 2))
    driver.list()
    arm.evict(arm.sets[SET], arm.live()[0])
    with pytest.raises(OSError, match=f"Azure currently can't find machines .*: {made[0].id.rpartition('/')[0]}$"):
        driver.terminate([each.id for each in made])
    assert not arm.live()
    arm.clock.now += 61
    driver.list()
    driver.terminate([each.id for each in made])


def test_over_the_quota_nothing_is_made(arm):
    words = "exceeding approved standardHBv3Family Cores quota. Current Limit: 4, Current Usage: 4, Additional"
    arm.fail["deploy"] = AzureError("QuotaExceeded", f"{words} Required: 2", 409)
    with pytest.raises(QuotaError, match="standardHBv3Family Cores: limit 4, used 4, 2 more needed"):
        new_driver(arm).launch(named(1, 2))


def test_a_late_deployment_is_found(arm):
    arm.fail["deploy"] = AzureError("DeploymentActive", "It is active.", 409)
    driver = new_driver(arm)
    with pytest.raises(ThrottledError, match="DeploymentActive"):
        driver.launch(named(1, 2))
    del arm.fail["deploy"]
    assert len(driver.launch(named(1, 2))) == 2


def test_without_a_template_nothing_can_be_made(arm):
    del arm.sets[SET].tags["hpc:template"]
    with pytest.raises(RefusedError, match=f"availability set {SET} has no tag hpc:template; run `pulumi up`"):
        new_driver(arm).launch(named(1))
    assert not arm.calls["deploy"]


def test_the_innermost_error_of_a_deployment_decides():
    """Those around it would make a conflict of a lack of capacity, which the daemon would try again."""
    inner = '{"error": {"code": "AllocationFailed", "message": "No."}}'
    outer = {"code": "DeploymentFailed", "message": "Failed.", "details": [{"code": "Conflict", "message": inner}]}
    assert list(reasons_in({"error": outer})) == [("AllocationFailed", "No.")]
    assert list(reasons_in({"error": {"code": "Conflict", "message": "{no JSON"}})) == [("Conflict", "{no JSON")]
    assert list(reasons_in({})) == []
