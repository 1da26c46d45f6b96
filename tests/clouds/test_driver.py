"""The toy cloud's driver keeps the contract of all drivers, and its machines are told their end."""

import json
from collections.abc import Collection, Iterator
from dataclasses import asdict
from typing import cast

import pytest
from elastic.drivers.contract import DriverContract, NoticesContract
from elastic.drivers.login_contract import LoginDriver, LoginNodesContract

from clouds.fake_toy import FakeToy, served
from hpc_components.elastic.config import Config, ConfigError
from hpc_components.elastic.drivers import clouds, connect, notice_source
from hpc_components.elastic.drivers.contract import Driver, NoticeKind, NoticeSource
from hpc_components.elastic.model import Pool

pytestmark = pytest.mark.usefixtures("toy")


def pool(machine: str, zone: str) -> Pool:
    return Pool(queue="mpi", machine=machine, zone=zone, purchase="spot")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeToy]:
    fake = FakeToy(pools=[asdict(each) for each in ToyDouble.pools])
    with served(fake) as address:
        monkeypatch.setenv("TOY", address)
        yield fake


class ToyDouble:
    """The toy cloud as the contract turns its knobs."""

    pools = (pool("tide-64", "reef-1-a"), pool("shell-32", "reef-1-b"))
    unknown_pool = pool("coral-192", "reef-1-b")
    unknown_ids = ("toy-dead", "toy-beef")

    def __init__(self, driver: Driver, fake: FakeToy) -> None:
        self.__dict__.update(driver=driver, fake=fake)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.fake, name, value)

    @property
    def now(self) -> float:
        return self.fake.now

    def limit(self, pool: Pool, count: int) -> None:
        self.fake.left[pool.machine] = count

    def lose_answer(self, call: str) -> None:
        self.fake.lose.add(call)

    def throttle(self) -> None:
        self.fake.throttled = True

    def throttle_end(self, id: str) -> None:
        self.fake.throttled_ends.add(id)

    def protect(self, id: str) -> None:
        self.fake.protected.add(id)

    def omit(self, ids: Collection[str]) -> None:
        self.fake.omitted = ids

    def lose_sight(self, ids: Collection[str]) -> None:
        self.fake.unknown = dict.fromkeys(ids, self.fake.now)

    def live(self) -> Collection[str]:
        return {id for id, each in self.fake.machines.items() if each["ended"] is None}

    def came_from(self, id: str) -> Pool:
        return Pool(**self.fake.machines[id]["pool"])

    def requests(self, call: str) -> int:
        return self.fake.calls[call]


class TestToy(DriverContract):
    """The driver that `connect` finds by the cloud's name."""

    capacity_words = r"reef-1-a has 3 machines tide-64"
    throttled_words = r"too often"
    unknown_pool_words = r"no template for coral-192 in reef-1-b; `pulumi up` makes it"
    unknown_yet_words = r"yet"

    @pytest.fixture
    def cloud(self, fake: FakeToy) -> ToyDouble:
        return ToyDouble(connect(Config(cluster="play", cloud="toy", config="play-config", queues=())), fake)


class ToyLoginDouble:
    """The toy cloud's login nodes."""

    pool = ToyDouble.pools[0]
    machine, zone = "shell-8", "reef-1-b"

    def __init__(self, driver: LoginDriver, fake: FakeToy) -> None:
        self.driver, self._fake = driver, fake

    def add_login_node(self, address: str, *, cluster: str = "cfd", running: bool = True) -> None:
        node = {"address": address, "machine": self.machine, "zone": self.zone}
        self._fake.login_nodes += [(f"{cluster}-config", node)] if running else []

    def live(self) -> Collection[str]:
        return [node["address"] for _, node in self._fake.login_nodes]

    def fail(self) -> None:
        self._fake.lose.add("login")


class TestToyLoginNodes(LoginNodesContract):
    """The login nodes that Prometheus scrapes."""

    @pytest.fixture
    def cloud(self, fake: FakeToy) -> ToyLoginDouble:
        driver = connect(Config(cluster="cfd", cloud="toy", config="cfd-config", queues=()))
        return ToyLoginDouble(cast(LoginDriver, driver), fake)


def test_a_driver_misses_what_it_needs() -> None:
    assert clouds() == ["aws", "azure", "gcp", "local", "toy"]
    with pytest.raises(ConfigError, match="config: missing; cloud 'toy' needs"):
        connect(Config(cluster="play", cloud="toy", queues=()))


class ToyNoticesDouble:
    """The metadata of one machine."""

    def __init__(self, source: NoticeSource, fake: FakeToy) -> None:
        self.source, self._fake = source, fake

    def announce(self, kind: NoticeKind) -> bool:
        if kind is not NoticeKind.SPOT:
            return False
        self._fake.metadata["notice"] = json.dumps({"at": 1_790_000_030})
        return True

    def fail(self) -> None:
        self._fake.lose.add("notice")

    def garble(self) -> None:
        self._fake.metadata["notice"] = "nonsense"


class TestToyNotices(NoticesContract):
    """The notices that a toy machine gets."""

    @pytest.fixture
    def notices(self, fake: FakeToy) -> ToyNoticesDouble:
        return ToyNoticesDouble(notice_source("toy"), fake)
