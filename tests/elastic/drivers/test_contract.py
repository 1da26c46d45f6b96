"""What every driver does: the same tests for EC2 and for the cloud on this machine."""

import pytest

from hpc_components.elastic.drivers.contract import CapacityError, Driver, RefusedError, ThrottledError
from hpc_components.elastic.model import InstanceState

from .conftest import NOW, launch, pool
from .ec2_server import Ec2Server
from .fake_ec2 import Ec2Error, FakeEc2

LIVE = (InstanceState.PENDING, InstanceState.RUNNING)


@pytest.fixture(params=["aws", "local"])
def driver(request) -> Driver:
    return request.getfixturevalue(request.param)


def nodes(instances) -> list[str]:
    return sorted(each.node for each in instances if each.state in LIVE)


def test_a_launch_gives_machines_their_names_in_the_order_asked(driver: Driver):
    made = driver.launch(launch(7, 3, 4, 5, 20, minimum=5))
    assert [each.node for each in made] == ["cpu-7", "cpu-3", "cpu-4", "cpu-5", "cpu-20"]
    assert {(each.token, each.pool, each.state, each.launched, each.failing) for each in made} == {
        ("t1", pool(), InstanceState.RUNNING, NOW, "")
    }
    assert sorted(driver.list(), key=lambda each: each.id) == sorted(made, key=lambda each: each.id)


def test_machines_come_from_the_pool_that_was_named(driver: Driver, ec2: FakeEc2):
    source = pool("c6i.large", "use2-az2")
    (made,) = driver.launch(launch(1, source=source))
    assert made.pool == source
    assert (ec2.machines[made.id].template.machine, ec2.machines[made.id].template.zone) == ("c6i.large", "use2-az2")


def test_with_too_few_machines_the_last_names_get_none(driver: Driver, ec2: FakeEc2):
    ec2.capacity["c7i.large", "use2-az1"] = 3
    assert nodes(driver.launch(launch(1, 2, 3, 4, 5, minimum=2))) == ["cpu-1", "cpu-2", "cpu-3"]


def test_rather_none_than_fewer_than_the_minimum(driver: Driver, ec2: FakeEc2):
    ec2.capacity["c7i.large", "use2-az1"] = 3
    with pytest.raises(CapacityError, match=r"sufficient c7i\.large capacity"):
        driver.launch(launch(1, 2, 3, 4, minimum=4))
    assert not ec2.machines
    assert ec2.calls["RunInstances"] == 1  # told with 500, which SDKs repeat of themselves


def test_the_same_launch_twice_makes_no_second_set(driver: Driver, ec2: FakeEc2):
    first = driver.launch(launch(1, 2))
    assert list(driver.launch(launch(1, 2))) == list(first)
    assert len(ec2.machines) == 2


def test_after_a_lost_answer_the_same_launch_finds_its_machines(driver: Driver, server: Ec2Server, ec2: FakeEc2):
    server.lose_answers["RunInstances"] = 1
    with pytest.raises(OSError, match=r"."):
        driver.launch(launch(1, 2))
    assert nodes(driver.launch(launch(1, 2))) == ["cpu-1", "cpu-2"]
    assert len(ec2.machines) == 2


def test_a_lost_answer_to_the_others_is_an_oserror_too(driver: Driver, server: Ec2Server, ec2: FakeEc2):
    (made,) = driver.launch(launch(1))
    server.lose_answers.update(("DescribeInstances", "TerminateInstances"))
    with pytest.raises(OSError, match=r"."):
        driver.list()
    with pytest.raises(OSError, match=r"."):
        driver.terminate([made.id])
    assert not ec2.live()


def test_machines_end_and_ending_them_again_is_no_error(driver: Driver, ec2: FakeEc2, clock):
    ec2.stop_seconds = 30
    made = driver.launch(launch(1, 2, 3))
    driver.terminate({made[0].id, made[2].id})
    states = {each.node: each.state for each in driver.list()}
    assert states == {
        "cpu-1": InstanceState.STOPPING,
        "cpu-2": InstanceState.RUNNING,
        "cpu-3": InstanceState.STOPPING,
    }
    driver.terminate([made[0].id])
    clock.now += 31
    assert {each.state for each in driver.list() if each.node != "cpu-2"} == {InstanceState.GONE}


def test_machines_that_nobody_knows_do_not_keep_the_others_running(driver: Driver, ec2: FakeEc2):
    made = driver.launch(launch(*range(1, 8)))
    driver.terminate([each.id for each in made] + ["i-0000000000000dead", "i-0000000000000beef"])
    assert not ec2.live()
    driver.terminate(["i-0000000000000dead"])
    driver.terminate([])


def test_a_new_machine_is_pending_and_may_be_missing_from_the_list(driver: Driver, ec2: FakeEc2, clock):
    ec2.boot_seconds, ec2.lag_seconds = 20, 5
    (made,) = driver.launch(launch(1))
    assert made.state is InstanceState.PENDING
    assert not driver.list()
    with pytest.raises(OSError, match=r"yet|ends in its middle"):  # it must not be taken for gone
        driver.terminate([made.id])
    clock.now += 6
    assert [each.state for each in driver.list()] == [InstanceState.PENDING]


def test_a_machine_that_the_list_lacks_is_found_by_its_id(driver: Driver, ec2: FakeEc2):
    made = driver.launch(launch(1, 2, 3))
    ec2.forgotten = {made[0].id}
    driver.terminate([made[1].id])
    assert made[0].id not in {each.id for each in driver.list()}
    asked = [made[0].id, made[1].id, "i-0000000000000dead", "i-0000000000000beef"]
    found = {each.node: each.state for each in driver.find(asked)}
    assert found == {"cpu-1": InstanceState.RUNNING, "cpu-2": InstanceState.GONE}
    assert not driver.find(["i-0000000000000dead"])
    assert not driver.find([])


def test_machines_are_found_by_the_token_of_their_launch(driver: Driver, ec2: FakeEc2):
    made = driver.launch(launch(1, 2, token="t1"))
    driver.launch(launch(3, token="t2"))
    assert {each.id for each in driver.find([], ["t1", "t9"])} == {each.id for each in made}
    assert len(driver.find([made[0].id], ["t2"])) == 2


def test_a_new_machine_may_not_be_known_by_its_id_either(driver: Driver, ec2: FakeEc2, clock):
    ec2.lag_seconds = 5
    made = driver.launch(launch(1))
    assert not driver.find([each.id for each in made])
    clock.now += 6
    assert list(driver.find([each.id for each in made])) == list(made)


def test_asked_too_often(driver: Driver, ec2: FakeEc2):
    ec2.fail["RunInstances"] = ec2.fail["TerminateInstances"] = Ec2Error("RequestLimitExceeded", "Slow down.", 503)
    with pytest.raises(ThrottledError, match=r"RequestLimitExceeded: Slow down\."):
        driver.launch(launch(1))
    with pytest.raises(ThrottledError, match="RequestLimitExceeded"):
        driver.terminate(["i-0000000000000beef"])
    assert ec2.calls["RunInstances"] == ec2.calls["TerminateInstances"] == 1


def test_a_pool_without_a_template_is_refused_with_what_is_missing(driver: Driver):
    with pytest.raises(RefusedError, match=r"cluster cfd has no launch template .*hpc:machine=c5\.large"):
        driver.launch(launch(1, source=pool("c5.large")))


def test_thousands_are_listed_and_ended(driver: Driver, ec2: FakeEc2):
    for number in range(3):
        first = 1 + 1000 * number
        driver.launch(launch(*range(first, first + 1000), minimum=1000, token=f"t{number}"))
    listed = driver.list()
    assert len({each.node for each in listed}) == 3000
    driver.terminate([each.id for each in listed])
    assert not ec2.live()
    assert ec2.calls["DescribeInstances"] == ec2.calls["TerminateInstances"] == 3
