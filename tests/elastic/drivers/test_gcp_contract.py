"""The contract, kept by Google Cloud's driver."""

from collections.abc import Collection
from dataclasses import replace

import pytest
from serving import serving

from elastic.drivers.contract import DriverContract
from hpc_components.elastic.drivers.gcp.driver import GcpDriver
from hpc_components.elastic.drivers.http import Connections
from hpc_components.elastic.model import Pool

from .conftest import Clock
from .fake_gce import FakeGce
from .gce_shapes import FaultError
from .gcp_cluster import FIRST, NOW, SECOND, add_fleets, make_driver
from .rest_server import RestServer

ACTIONS = {"launch": ("launch",), "terminate": ("terminate",), "list": ("list", "show machine")}


@pytest.fixture(scope="module")
def server():
    with serving(RestServer(FakeGce())) as server:
        yield server


class GcpDouble:
    """Google Cloud as the contract turns its knobs."""

    unknown_pool = replace(FIRST, machine="h4d-standard-192")
    unknown_ids = ("us-central1-a/cfd-cpu-777/777", "us-central1-b/cfd-cpu-1/778")

    def __init__(self, server: RestServer[FakeGce], pools: tuple[Pool, Pool], machines: int) -> None:
        self._clock = Clock()
        self.pools = pools
        self._server = server
        self.gce = FakeGce(self._clock)
        self.not_ended: dict[str, FaultError] = {}
        self.gce.on_request = self._hinder
        add_fleets(self.gce, *pools, machines=machines, max_distance=2 if machines else None)
        self.gce.most_of_a_policy = machines or 0
        server.take(self.gce)
        server.lose_answers.clear()
        self.connections = Connections()
        self.driver: GcpDriver = make_driver(self.gce, self.connections.send)

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("boot_seconds", "stop_seconds", "lag_seconds"):
            setattr(self.gce, name, value)
        else:
            super().__setattr__(name, value)

    @property
    def now(self) -> float:
        return self._clock.now

    @now.setter
    def now(self, now: float) -> None:
        self._clock.now = now

    def limit(self, pool: Pool, count: int) -> None:
        self.gce.left[pool.machine, pool.zone] = count

    def lose_answer(self, call: str) -> None:
        self._server.lose_answers[ACTIONS[call][0]] += 1

    def throttle(self) -> None:
        failure = FaultError("rateLimitExceeded", "Slow down.", 403)
        self.gce.fail |= {"launch": failure, "terminate": failure}

    def throttle_end(self, id: str) -> None:
        self.not_ended[id] = FaultError("rateLimitExceeded", "Slow down.", 403)

    def protect(self, id: str) -> None:
        self.not_ended[id] = FaultError("invalid", "The resource is protected against deletion.", 400)

    def _hinder(self, action: str, names: tuple[str, ...], body: bytes) -> None:
        for id, error in self.not_ended.items():
            if action == "terminate" and id.split("/")[1] in names:
                raise error

    def omit(self, ids: Collection[str]) -> None:
        self.gce.forgotten = {id.rpartition("/")[2] for id in ids}

    def lose_sight(self, ids: Collection[str]) -> None:
        self.gce.unknown = {id.rpartition("/")[2] for id in ids}

    def live(self) -> Collection[str]:
        return {f"{vm.zone}/{vm.name}/{vm.number}" for vm in self.gce.live()}

    def came_from(self, id: str) -> Pool:
        (vm,) = [vm for vm in self.gce.live() if vm.number == id.rpartition("/")[2]]
        return next(pool for pool in self.pools if (pool.machine, pool.zone) == (vm.template.machine, vm.zone))

    def requests(self, call: str) -> int:
        return sum(self.gce.calls[action] for action in ACTIONS[call])


@pytest.mark.parametrize("machines", [0, 150], ids=["anywhere", "close together"])
class TestGcp(DriverContract):
    """With machines that stand anywhere, and close together."""

    capacity_words = r"ZONE_RESOURCE_POOL_EXHAUSTED: .*enough resources"
    throttled_words = r"rateLimitExceeded: Slow down\.|called too often"
    unknown_pool_words = r"cluster cfd has no instance template for queue cpu, h4d-standard-192 in us-central1-a"
    unknown_yet_words = r"Google Cloud currently can't find machines .*: us-central1-a/cfd-cpu-1/\d+"

    @pytest.fixture
    def cloud(self, server, machines):
        double = GcpDouble(server, (FIRST, SECOND), machines)
        yield double
        double.connections.close()
        assert not double.gce.mistakes
        assert double.now >= NOW
