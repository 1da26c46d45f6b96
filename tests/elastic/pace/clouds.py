"""Emulated clouds at 100 ms a call, on a clock that only calls and pauses move."""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from elastic.drivers.arm_shapes import AzureError
from elastic.drivers.azure_cluster import add_sets
from elastic.drivers.azure_cluster import inside as inside_arm
from elastic.drivers.azure_cluster import make_driver as azure_driver
from elastic.drivers.conftest import own_tags
from elastic.drivers.ec2_server import Ec2Server
from elastic.drivers.fake_arm import FakeArm
from elastic.drivers.fake_ec2 import Ec2Error, FakeEc2
from elastic.drivers.fake_gce import FakeGce
from elastic.drivers.gce_shapes import FaultError
from elastic.drivers.gcp_cluster import add_fleets
from elastic.drivers.gcp_cluster import inside as inside_gce
from elastic.drivers.gcp_cluster import make_driver as gcp_driver
from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.drivers.http import Answer
from hpc_components.elastic.model import Instance, Launch, Pool

LATENCY = 0.1
"""Seconds of a call."""
Steps = Generator[float, None, Sequence[Instance]]


class Time:
    """Seconds of the epoch, and every call of the cloud by then."""

    def __init__(self) -> None:
        self.now = 1_790_000_000.0
        self.calls: list[tuple[float, str]] = []
        self.spend: Callable[[float], None] = self._spend

    def __call__(self) -> float:
        return self.now

    def _spend(self, seconds: float) -> None:
        self.now += seconds

    def call(self, action: str) -> None:
        """A call is made."""
        self.calls.append((self.now, action))
        self.spend(LATENCY)


class Azure:
    """Scale sets, the first of them Uniform."""

    launch, pools = "scale", tuple(
        Pool(queue="q", machine=machine, zone="eastus-1", purchase="on_demand")
        for machine in ("Standard_HB176rs_v4", "Standard_HB120rs_v3")
    )  # fmt: skip

    def __init__(self, time: Time, seconds: float) -> None:
        self.arm = FakeArm(time)
        self.arm.throttled = True
        self.arm.host_seconds = seconds
        add_sets(self.arm, *self.pools)
        send = inside_arm(self.arm)

        def paced(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
            time.call(self.arm.purpose(method, url, body))
            return send(method, url, headers, body)

        self.driver = azure_driver(self.arm, paced, time.spend)
        self.steps = self.driver.steps

    def fail(self, *, broken: bool) -> None:
        """Launches are answered with HTTP 500."""
        self.arm.fail = {self.launch: AzureError("InternalServerError", "Sorry.", 500)} if broken else {}

    def sell_out(self, pool: Pool) -> None:
        """It has no machines."""
        self.arm.left[pool.machine, pool.zone] = 0

    def asked_for(self, pool: Pool) -> bool:
        """Whether machines of it were asked for."""
        return any(vm for group, vm in self.arm.vms() if (group.machine, group.zone) == (pool.machine, pool.zone))


class Gcp:
    """Bulk inserts of machines that stand anywhere, or close together."""

    launch, pools = "launch", tuple(
        Pool(queue="q", machine="h3-standard-88", zone=f"us-central1-{zone}", purchase="on_demand") for zone in "ab"
    )  # fmt: skip

    def __init__(self, time: Time, seconds: float, machines: int = 0) -> None:
        self.gce = FakeGce(time)
        self.gce.operation_seconds = seconds
        self.gce.most_of_a_policy = machines or 1500
        add_fleets(self.gce, *self.pools, machines=machines)
        send = inside_gce(self.gce)
        self._asked: set[str] = set()

        def paced(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
            purpose = self.gce.purpose(method, url.removeprefix(self.gce.base), body)
            time.call(purpose)
            if purpose == self.launch:
                self._asked |= {pool.zone for pool in self.pools if pool.zone.encode() in url.encode() + body}
            return send(method, url, headers, body)

        self.driver = gcp_driver(self.gce, paced, time.spend)
        self.steps = self.driver.steps

    def fail(self, *, broken: bool) -> None:
        """Launches are answered with HTTP 503."""
        self.gce.fail = {self.launch: FaultError("backendError", "Sorry.", 503)} if broken else {}

    def sell_out(self, pool: Pool) -> None:
        """It has no machines."""
        self.gce.left[pool.machine, pool.zone] = 0

    def asked_for(self, pool: Pool) -> bool:
        """Whether machines of it were asked for."""
        return pool.zone in self._asked


class ClosePlacement(Gcp):
    """Machines in compact policies of 150, each of which takes three seconds to be made and to be deleted."""

    def __init__(self, time: Time, seconds: float) -> None:
        super().__init__(time, seconds, machines=150)
        self.gce.policy_seconds = 3.0


class Aws:
    """RunInstances, by the SDK."""

    launch, pools = "RunInstances", tuple(
        Pool(queue="q", machine="c7i.large", zone=zone, purchase="on_demand") for zone in ("use2-az1", "use2-az2")
    )  # fmt: skip

    def __init__(self, time: Time, seconds: float, server: Ec2Server, client: Any) -> None:
        self.ec2 = server.ec2 = PacedEc2(time)
        self.ec2.boot_seconds = seconds
        for pool in self.pools:
            tags = own_tags("q", pool.machine, pool.zone)
            self.ec2.add_template(pool.zone, pool.machine, pool.zone, tags, instance_tags=tags)
        self.driver = AwsDriver("cfd", "cfd-config", client, time, time)

    def steps(self, launch: Launch) -> Steps:
        """The call as one step."""
        yield from ()
        return self.driver.launch(launch)

    def fail(self, *, broken: bool) -> None:
        """Launches are answered with HTTP 500."""
        self.ec2.fail = {self.launch: Ec2Error("InternalError", "Sorry.", 500)} if broken else {}

    def sell_out(self, pool: Pool) -> None:
        """It has no machines."""
        self.ec2.capacity[pool.machine, pool.zone] = 0

    def asked_for(self, pool: Pool) -> bool:
        """Whether machines of it were asked for."""
        return any(machine.template.zone == pool.zone for machine in self.ec2.machines.values())


class PacedEc2(FakeEc2):
    """Whose calls take their time."""

    def __init__(self, time: Time) -> None:
        super().__init__(time)
        self._time = time

    def answer(self, action: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """As it is after the call."""
        self._time.call(action)
        return super().answer(action, request)
