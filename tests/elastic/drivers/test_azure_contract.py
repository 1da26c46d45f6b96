"""The contract, kept by Azure's driver."""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest
from serving import serving

from elastic.drivers.contract import DriverContract
from hpc_components.elastic.drivers.azure.driver import AzureDriver
from hpc_components.elastic.drivers.http import Connections
from hpc_components.elastic.model import Pool

from .azure_cluster import CONFIG, FIRST, NAMED, NOW, SECOND, add_sets, make_driver, set_name
from .conftest import Clock
from .fake_arm import AzureError, FakeArm
from .rest_server import RestServer

ACTIONS = {"launch": "scale", "terminate": "delete", "list": "list machines"}
NAMED_ACTIONS = {"launch": "deploy", "terminate": "delete machine", "list": "list machines"}
UNKNOWN = "00000000-0000-0000-0000-00000000dead"


@pytest.fixture(scope="module")
def server():
    with serving(RestServer(FakeArm())) as server:
        yield server


class AzureDouble:
    """Azure as the contract turns its knobs."""

    unknown_pool = replace(FIRST, machine="Standard_HC44rs")

    def __init__(self, server: RestServer[FakeArm], pools: tuple[Pool, Pool]) -> None:
        self._clock = Clock()
        self.pools = pools
        self._actions = NAMED_ACTIONS if pools[0] is NAMED else ACTIONS
        self._server = server
        self.arm = FakeArm(self._clock)
        self.not_ended: dict[str, AzureError] = {}
        self.arm.on_request = self._hinder
        add_sets(self.arm, *pools)
        add_sets(self.arm, *pools, cluster="other", config=CONFIG)
        server.take(self.arm)
        server.lose_answers.clear()
        self.connections = Connections()
        self.driver: AzureDriver = make_driver(self.arm, self.connections.send)
        name = set_name(pools[0])
        self.unknown_ids = f"{name}/777/{UNKNOWN}", f"cfd-gone-1/0/{UNKNOWN}"

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("boot_seconds", "stop_seconds", "lag_seconds"):
            setattr(self.arm, name, value)
        else:
            super().__setattr__(name, value)

    @property
    def now(self) -> float:
        return self._clock.now

    @now.setter
    def now(self, now: float) -> None:
        self._clock.now = now

    def limit(self, pool: Pool, count: int) -> None:
        self.arm.left[pool.machine, pool.zone] = count

    def lose_answer(self, call: str) -> None:
        self._server.lose_answers[self._actions[call]] += 1

    def throttle(self) -> None:
        failure = AzureError("TooManyRequests", "Slow down.", 429, seconds=30)
        self.arm.fail |= {self._actions["launch"]: failure, self._actions["terminate"]: failure}

    def throttle_end(self, id: str) -> None:
        self.not_ended[id] = AzureError("TooManyRequests", "Slow down.", 429, seconds=30)

    def protect(self, id: str) -> None:
        self.not_ended[id] = AzureError("ScopeLocked", "Remove the lock.", 409)

    def _hinder(self, action: str, names: tuple[str, ...], query: Mapping[str, str], body: bytes) -> None:
        if action not in ("delete", "delete machine"):
            return
        for id, error in self.not_ended.items():
            group, instance, _ = id.split("/")
            wanted = json.loads(body)["instanceIds"] if body else [names[-1]]
            if instance in wanted and (not body or group in names):
                raise error

    def omit(self, ids: Collection[str]) -> None:
        self.arm.forgotten = {id.rpartition("/")[2] for id in ids}

    def lose_sight(self, ids: Collection[str]) -> None:
        self.arm.unknown = {id.rpartition("/")[2] for id in ids}

    def live(self) -> Collection[str]:
        return {vm.vm_id for vm in self.arm.live()}

    def came_from(self, id: str) -> Pool:
        name = id.partition("/")[0]
        return next(pool for pool in self.pools if set_name(pool) == name)

    def requests(self, call: str) -> int:
        return self.arm.calls[self._actions[call]]


class AzureWords(DriverContract):
    """What Azure and its driver say, and what must be of its stand-in in the end."""

    capacity_words = r"AllocationFailed: .*sufficient capacity"
    throttled_words = r"TooManyRequests: Slow down\.|called too often"
    unknown_pool_words = r"cluster cfd has no scale set or availability set tagged .*hpc:machine=Standard_HC44rs"
    unknown_yet_words = r"Azure currently can't find machines .*: cfd-cpu-"

    @pytest.fixture
    def cloud(self, server, pools):
        double = AzureDouble(server, pools)
        yield double
        double.connections.close()
        assert not double.arm.mistakes
        for name in double.arm.blobs:
            assert json.loads(double.arm.blobs[name][1])["version"] == 1
        assert double.now >= NOW


@pytest.mark.parametrize("pools", [(FIRST, SECOND), (SECOND, FIRST)], ids=["uniform", "flexible"])
class TestScaleSets(AzureWords):
    """With a uniform scale set first, and with a flexible one."""


@pytest.mark.parametrize("pools", [(NAMED, SECOND)], ids=["named"])
class TestAvailabilitySets(AzureWords):
    """With an availability set, which holds 200 machines."""

    @pytest.fixture
    def driver(self, cloud):
        cloud.driver.limits = replace(cloud.driver.limits, launch_size=200 // 3)
        return cloud.driver
