"""The contract, kept by EC2's driver and by that of a rehearsal."""

import json
from collections.abc import Collection

import pytest
from serving import serving

from elastic.drivers.contract import DriverContract, NoticesContract
from elastic.drivers.fake_metadata import FakeMetadata
from hpc_components.elastic.drivers.aws.notices import InstanceMetadata, MetadataNotices
from hpc_components.elastic.drivers.contract import Driver, NoticeKind
from hpc_components.elastic.model import Pool

from .conftest import Clock, pool
from .ec2_server import Ec2Server
from .fake_ec2 import Ec2Error, FakeEc2

ACTIONS = {"launch": "RunInstances", "terminate": "TerminateInstances", "list": "DescribeInstances"}


class Ec2Double:
    """EC2 as the contract turns its knobs."""

    pools = (pool(), pool("c6i.large", "use2-az2"))
    unknown_pool = pool("c5.large")
    unknown_ids = ("i-0000000000000dead", "i-0000000000000beef")

    def __init__(self, driver: Driver, server: Ec2Server, clock: Clock) -> None:
        self.driver = driver
        self._server = server
        self._ec2: FakeEc2 = server.ec2
        self._clock = clock

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("boot_seconds", "stop_seconds", "lag_seconds"):
            setattr(self._ec2, name, value)
        else:
            super().__setattr__(name, value)

    @property
    def now(self) -> float:
        return self._clock.now

    @now.setter
    def now(self, now: float) -> None:
        self._clock.now = now

    def limit(self, pool: Pool, count: int) -> None:
        self._ec2.capacity[pool.machine, pool.zone] = count

    def lose_answer(self, call: str) -> None:
        self._server.lose_answers[ACTIONS[call]] += 1

    def throttle(self) -> None:
        failure = Ec2Error("RequestLimitExceeded", "Slow down.", 503)
        self._ec2.fail |= {"RunInstances": failure, "TerminateInstances": failure}

    def throttle_end(self, id: str) -> None:
        self._ec2.not_ended[id] = Ec2Error("RequestLimitExceeded", "Slow down.", 503)

    def protect(self, id: str) -> None:
        self._ec2.machines[id].protected = True

    def omit(self, ids: Collection[str]) -> None:
        self._ec2.forgotten = set(ids)

    def lose_sight(self, ids: Collection[str]) -> None:
        self._ec2.unknown = set(ids)

    def live(self) -> Collection[str]:
        return {machine.id for machine in self._ec2.live()}

    def came_from(self, id: str) -> Pool:
        template = self._ec2.machines[id].template
        return pool(template.machine, template.zone)

    def requests(self, call: str) -> int:
        return self._ec2.calls[ACTIONS[call]]


class Ec2Words(DriverContract):
    """What EC2 and its driver say."""

    capacity_words = r"sufficient c7i\.large capacity"
    throttled_words = r"RequestLimitExceeded: Slow down\."
    unknown_pool_words = r"cluster cfd has no launch template .*hpc:machine=c5\.large"
    unknown_yet_words = r"EC2 currently can't find machines .*: i-|is incomplete"

    def test_thousands_are_listed_and_ended(self, driver, pool, cloud):
        super().test_thousands_are_listed_and_ended(driver, pool, cloud)
        assert cloud.requests("list") == cloud.requests("terminate") == 3  # a page holds 1,000


class TestAws(Ec2Words):
    @pytest.fixture
    def cloud(self, aws, server, clock):
        return Ec2Double(aws, server, clock)


class TestLocal(Ec2Words):
    """Its other end passes on to EC2."""

    @pytest.fixture
    def cloud(self, local, server, clock):
        return Ec2Double(local, server, clock)


TOPICS = {
    NoticeKind.SPOT: ("spot_instance-action", {"action": "terminate", "time": "2026-09-18T08:22:00Z"}),
    NoticeKind.MAINTENANCE: (
        "events_maintenance_scheduled",
        [{"NotBefore": "21 Jan 2027 09:00:43 GMT", "Code": "system-reboot", "State": "active"}],
    ),
    NoticeKind.REBALANCE: ("events_recommendations_rebalance", {"noticeTime": "2026-09-18T08:22:00Z"}),
}


class MetadataDouble:
    """The metadata service as the contract turns its knobs."""

    def __init__(self, service: FakeMetadata) -> None:
        self.source = MetadataNotices(InstanceMetadata(service.url))
        self._service = service

    def announce(self, kind: NoticeKind) -> bool:
        if kind not in TOPICS:
            return False
        topic, value = TOPICS[kind]
        (self._service.folder / topic).write_text(json.dumps(value))
        return True

    def fail(self) -> None:
        self._service.broken = True

    def garble(self) -> None:
        for file in self._service.folder.iterdir():
            file.write_text("nonsense")


class TestAwsNotices(NoticesContract):
    @pytest.fixture
    def notices(self, tmp_path):
        with serving(FakeMetadata(0, tmp_path)) as service:
            yield MetadataDouble(service)
