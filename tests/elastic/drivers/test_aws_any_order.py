"""Launches, lost answers, shortage, throttling and terminations in any order: no machine is doubled or misnamed."""

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.drivers.contract import LaunchError
from hpc_components.elastic.model import Launch

from .conftest import Clock, add_templates, launch, pool
from .ec2_server import Ec2Server
from .fake_ec2 import Ec2Error, FakeEc2

NUMBERS = st.lists(st.integers(1, 40), min_size=1, max_size=12, unique=True)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("launch"), NUMBERS, st.integers(1, 12)),
        st.tuples(st.just("again"), st.integers(0, 5)),
        st.tuples(st.just("restart")),
        st.tuples(st.just("lose"), st.sampled_from(["RunInstances", "DescribeInstances", "TerminateInstances"])),
        st.tuples(st.just("left"), st.integers(0, 20)),
        st.tuples(st.just("fail"), st.sampled_from([None, "InternalError", "VcpuLimitExceeded"])),
        st.tuples(st.just("end"), st.integers(0, 3)),
        st.tuples(st.just("wait"), st.sampled_from([1, 30])),
    ),
    max_size=25,
)


class Account:
    """A driver and what it was asked to launch."""

    def __init__(self, server: Ec2Server, client) -> None:
        self.clock = Clock()
        self.ec2 = server.ec2 = FakeEc2(self.clock)
        self.ec2.lag_seconds, self.ec2.boot_seconds, self.ec2.stop_seconds, self.ec2.page = 2, 20, 20, 3
        add_templates(self.ec2)
        self.server, self.client = server, client
        self.launches: list[Launch] = []
        self.restart()

    def restart(self) -> None:
        self.driver = AwsDriver("cfd", "cfd-config", self.client, self.clock, self.clock)

    def launch(self, numbers: list[int], minimum: int) -> None:
        token = f"t{len(self.launches)}"
        self.launches.append(launch(*numbers, minimum=min(minimum, len(numbers)), token=token))
        self.again(0)

    def again(self, back: int) -> None:
        if back < len(self.launches):
            this = self.launches[-1 - back]
            for machine in self.driver.launch(this):
                assert (machine.token, machine.pool) == (this.token, this.pool)
                assert machine.node in this.nodes

    def lose(self, action: str) -> None:
        self.server.lose_answers[action] += 1

    def left(self, count: int) -> None:
        self.ec2.capacity[pool().machine, pool().zone] = count

    def fail(self, code: str | None) -> None:
        self.ec2.fail = (
            {"RunInstances": Ec2Error(code, "No.", 500 if code == "InternalError" else 400)} if code else {}
        )

    def end(self, every: int) -> None:
        self.driver.terminate([each.id for index, each in enumerate(self.driver.list()) if index % 4 >= every])

    def wait(self, seconds: int) -> None:
        self.clock.now += seconds


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_no_machine_is_doubled_or_misnamed(server: Ec2Server, client, steps):
    server.lose_answers.clear()
    account = Account(server, client)
    for verb, *details in steps:
        try:
            getattr(account, verb)(*details)
        except (LaunchError, OSError):
            continue
    server.lose_answers.clear()
    account.ec2.fail = {}
    account.clock.now += 60
    made = Counter(each.token for each in account.ec2.machines.values())
    listed = {each.id: each for each in account.driver.list()}
    assert listed.keys() == account.ec2.machines.keys()
    for this in account.launches:
        assert made[this.token] == 0 or this.minimum <= made[this.token] <= len(this.nodes)
        named = [each.node for each in sorted(listed.values(), key=lambda each: each.id) if each.token == this.token]
        assert named == list(this.nodes[: made[this.token]])
    account.driver.terminate(listed)
    assert not account.ec2.live()
    assert all(not each.alive for each in account.driver.list())
