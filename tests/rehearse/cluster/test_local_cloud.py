"""The cloud of this machine, through the elastic daemon's own driver."""

import threading
import time

import pytest

from hpc_components.elastic.drivers.contract import CapacityError
from hpc_components.elastic.drivers.local.driver import LocalDriver
from hpc_components.elastic.model import InstanceState, Launch, Pool
from hpc_components.rehearse.cluster import local_cloud as module
from hpc_components.rehearse.cluster.local_cloud import Hypervisor, LocalCloud, serve

FIRST = Pool(queue="cpu", machine="c7i.48xlarge", zone="use2-az2", purchase="spot")
SECOND = Pool(queue="cpu", machine="m7i.48xlarge", zone="use2-az2", purchase="spot")


class Machines:
    """Stands for hosts."""

    def __init__(self):
        self.booted, self.halted, self.events = [], [], []
        self.running = threading.Event()

    def boot(self, machine):
        self.booted.append(machine.id)
        self.running.set()


@pytest.fixture
def machines():
    return Machines()


@pytest.fixture
def cloud(machines, monkeypatch):
    monkeypatch.setattr(module, "BOOT_SECONDS", 0.0)
    hypervisor = Hypervisor(
        boot=machines.boot,
        power_off=lambda machine: machines.halted.append(machine.id),
        report=lambda code, words, node="", pool="": machines.events.append((code, node)),
    )
    return LocalCloud(hypervisor)


@pytest.fixture
def driver(cloud, tmp_path):
    serve(cloud, tmp_path / "socket")
    return LocalDriver(str(tmp_path / "socket"))


def launch(*nodes, pool=FIRST, token="t1", minimum=1):
    return Launch(token=token, pool=pool, nodes=nodes, minimum=minimum, asked=time.time())


def test_a_machine_boots_and_is_ended(driver, machines):
    (made,) = driver.launch(launch("cpu-1"))
    assert (made.node, made.state) == ("cpu-1", InstanceState.PENDING)
    assert machines.running.wait(5)
    (seen,) = driver.list()
    assert seen.state is InstanceState.RUNNING
    driver.terminate([seen.id])
    driver.terminate([seen.id, "i-unknown"])
    assert machines.halted == [seen.id]
    assert [machine.state for machine in driver.list()] == [InstanceState.GONE]


def test_the_same_token_makes_no_second_machine(cloud, driver):
    first = driver.launch(launch("cpu-1", "cpu-2"))
    assert [machine.id for machine in driver.launch(launch("cpu-1", "cpu-2"))] == [machine.id for machine in first]
    assert len(cloud.launched()) == 2


def test_a_pool_without_machines_refuses_until_it_has_some(cloud, driver):
    cloud.limit(FIRST, 1, refusals=2)
    with pytest.raises(CapacityError, match=r"c7i\.48xlarge in use2-az2, spot"):
        driver.launch(launch("cpu-1", "cpu-2", minimum=2))
    assert [machine.node for machine in driver.launch(launch("cpu-1", "cpu-2", token="t2"))] == ["cpu-1"]
    assert len(driver.launch(launch("cpu-2", "cpu-3", token="t3", minimum=2))) == 2


def test_other_pools_have_their_own_capacity(cloud, driver):
    cloud.limit(FIRST, 0)
    assert len(driver.launch(launch("cpu-1", pool=SECOND))) == 1


def test_a_refused_launch_may_be_repeated_with_its_token(cloud, driver):
    cloud.limit(FIRST, 0, refusals=1)
    with pytest.raises(CapacityError):
        driver.launch(launch("cpu-1"))
    assert len(driver.launch(launch("cpu-1"))) == 1


def test_a_spoiled_machine_never_boots(cloud, driver, machines):
    cloud.fail_boots(1)
    driver.launch(launch("cpu-1", "cpu-2"))
    assert machines.running.wait(5)
    assert machines.booted == ["i-0002"]
    assert [machine.id for machine in cloud.alive("cpu-1")] == ["i-0001"]


def test_a_machine_that_dies_is_gone(cloud, driver, machines):
    driver.launch(launch("cpu-1"))
    cloud.kill("i-0001")
    assert machines.halted == ["i-0001"]
    assert cloud.alive() == []


def test_a_new_machine_is_not_listed_at_once(cloud, driver):
    cloud.list_lag = 60
    (made,) = driver.launch(launch("cpu-1"))
    assert driver.list() == []
    assert driver.launch(launch("cpu-1"))[0].id == made.id
    cloud.list_lag = 0
    assert [machine.id for machine in driver.list()] == [made.id]


@pytest.mark.parametrize(("phase", "made"), [("requested", 0), ("launched", 1)])
def test_a_call_can_be_cut_off(cloud, tmp_path, phase, made):
    serve(cloud, tmp_path / "cut", on_launch=lambda now: now != phase)
    with pytest.raises(OSError, match="is incomplete"):
        LocalDriver(str(tmp_path / "cut")).launch(launch("cpu-1"))
    assert len(cloud.launched()) == made
