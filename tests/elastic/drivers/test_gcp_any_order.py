"""Launches, crashes between any two requests, lost answers, shortage, preemptions and deletions in any order: no two
machines of a launch have one name, no launch ever has a second set, and no placement policy is left behind.
"""

from collections import Counter
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from elastic.drivers.conftest import Clock
from elastic.drivers.fake_gce import FakeGce
from elastic.drivers.gce_shapes import FaultError, Vm
from elastic.drivers.gcp_cluster import FIRST, SECOND, add_fleets, inside, launch, make_driver
from hpc_components.elastic.drivers.contract import LaunchError
from hpc_components.elastic.drivers.gcp.planning import units_of
from hpc_components.elastic.drivers.http import Answer
from hpc_components.elastic.model import Launch, Pool

NUMBERS = st.lists(st.integers(1, 40), min_size=1, max_size=8, unique=True)
ACTIONS = (
    "launch",
    "terminate",
    "list",
    "list launch",
    "show operation",
    "make policy",
    "delete policy",
    "read object",
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("launch"), NUMBERS, st.integers(1, 8)),
        st.tuples(st.just("launch_jobs"), NUMBERS, st.integers(1, 4)),
        st.tuples(st.just("again"), st.integers(0, 3)),
        st.tuples(st.just("crash"), st.integers(0, 12), st.booleans()),
        st.tuples(st.just("lose"), st.sampled_from(ACTIONS)),
        st.tuples(st.just("left"), st.integers(0, 12)),
        st.tuples(st.just("fail"), st.sampled_from(["", "backendError", "rateLimitExceeded", "forbidden"])),
        st.tuples(st.just("end"), st.integers(0, 3)),
        st.tuples(st.just("preempt"), st.integers(0, 3)),
        st.tuples(st.just("look")),
        st.tuples(st.just("wait"), st.sampled_from([1, 30, 90])),
    ),
    max_size=20,
)
KNOBS = st.fixed_dictionaries(
    {
        "operation_seconds": st.sampled_from([0, 7]),
        "policy_seconds": st.sampled_from([0, 3]),
        "boot_seconds": st.sampled_from([0, 20]),
        "stop_seconds": st.sampled_from([0, 40]),
        "lag_seconds": st.sampled_from([0, 3]),
        "rolls_back": st.booleans(),
        "page": st.sampled_from([3, 500]),
        "random": st.sampled_from([None, 1]),
    }
)
STATUS = {"backendError": 503, "rateLimitExceeded": 403, "forbidden": 403}


class Crash(BaseException):
    """kill -9."""


class Account:
    """A driver and what it was asked to launch, all from one pool."""

    def __init__(self, pool: Pool, knobs: dict, machines: int) -> None:
        self.clock, self.pool = Clock(), pool
        self.gce = FakeGce(self.clock)
        add_fleets(self.gce, pool, machines=machines)
        vars(self.gce).update(knobs, random=knobs["random"] and Random(1), most_of_a_policy=machines)
        self.gce.on_made = self.look_at_machine
        self.made: Counter[tuple[str, str]] = Counter()
        self.launches: list[Launch] = []
        self.crash_in: int | None = None
        self.crash_after = False
        self.lost: Counter[str] = Counter()
        self.looking = False
        self.restart()

    def restart(self) -> None:
        self.driver = make_driver(self.gce, self.send, sleep=self.sleep)

    def send(self, method, url, headers, body) -> Answer:
        crashes = self.crash_in == 0
        self.crash_in = None if self.crash_in in (None, 0) else self.crash_in - 1
        if crashes and not self.crash_after:
            raise Crash
        answer = inside(self.gce)(method, url, headers, body)
        if crashes:
            raise Crash
        action = self.gce.purpose(method, url.removeprefix(self.gce.base), body)
        if self.lost[action] > 0:
            self.lost[action] -= 1
            raise OSError("connection reset")
        return answer

    def sleep(self, seconds: float) -> None:
        """While a launch waits, the daemon lists the machines."""
        self.clock.now += seconds
        if int(self.clock.now) % 5 == 0:
            self.look()

    def look_at_machine(self, vm: Vm) -> None:
        this = vm.labels["hpc_launch"], vm.name
        self.made[this] += 1
        assert self.made[this] == 1, "a second set"

    # What happens.

    def launch(self, numbers: list[int], minimum: int) -> None:
        token = f"t{len(self.launches)}"
        self.launches.append(launch(*numbers, minimum=min(minimum, len(numbers)), token=token, pool=self.pool))
        self.again(0)

    def launch_jobs(self, numbers: list[int], size: int) -> None:
        token, alone = f"t{len(self.launches)}", len(numbers) % size
        sizes = (1,) * alone + (size,) * (len(numbers) // size)
        self.launches.append(launch(*numbers, minimum=sizes[0], token=token, pool=self.pool, sizes=sizes))
        self.again(0)

    def again(self, back: int) -> None:
        if back < len(self.launches):
            this = self.launches[-1 - back]
            made = self.driver.launch(this)
            assert len(made) >= this.minimum
            for machine in made:
                assert (machine.token, machine.pool) == (this.token, this.pool)
                assert machine.node in this.nodes
            there = {machine.node for machine in made}
            for nodes, least in units_of(this) if this.sizes else ():
                assert least < len(nodes) or there.isdisjoint(nodes) or there.issuperset(nodes), "half a job"

    def crash(self, requests: int, after: bool) -> None:
        self.crash_in, self.crash_after = requests, after

    def lose(self, action: str) -> None:
        self.lost[action] += 1

    def left(self, count: int) -> None:
        self.gce.left[self.pool.machine, self.pool.zone] = count

    def fail(self, reason: str) -> None:
        self.gce.fail = {"launch": FaultError(reason, "No.", STATUS[reason])} if reason else {}

    def end(self, every: int) -> None:
        self.driver.terminate([each.id for index, each in enumerate(self.driver.list()) if index % 4 >= every])

    def preempt(self, index: int) -> None:
        if len(live := self.gce.live()) > index:
            self.gce.preempt(live[index])

    def look(self) -> None:
        if self.looking:
            return
        self.looking = True
        try:
            self.driver.list()
        except (LaunchError, OSError):
            return
        finally:
            self.looking = False

    def wait(self, seconds: int) -> None:
        self.clock.now += seconds

    # What must be in the end.

    def heal(self) -> None:
        self.lost.clear()
        self.crash_in, self.gce.fail = None, {}
        self.gce.lag_seconds = 0
        for _ in range(4):
            self.clock.now += 100
            self.driver.list()

    def judge(self) -> None:
        listed = [each for each in self.driver.list() if each.alive]
        assert {each.id.rpartition("/")[2] for each in listed} == {vm.number for vm in self.gce.live()}
        for this in self.launches:
            own = [each.node for each in listed if each.token == this.token]
            assert len(own) == len(set(own))
            assert set(own) <= set(this.nodes)
        assert not self.gce.mistakes
        self.driver.terminate([each.id for each in listed])
        assert not self.gce.live()
        for _ in range(4):
            self.clock.now += 100
            assert all(not each.alive for each in self.driver.list())
        assert not self.gce.policies_there()
        assert not self.driver.policies


@settings(max_examples=150)
@given(STEPS, KNOBS, st.sampled_from([FIRST, SECOND]), st.sampled_from([0, 10]))
def test_no_launch_has_a_second_set_and_no_policy_is_left(steps, knobs, pool, machines):
    account = Account(pool, knobs, machines)
    for verb, *details in steps:
        try:
            getattr(account, verb)(*details)
        except Crash:
            account.restart()
        except (LaunchError, OSError):
            continue
    account.heal()
    account.judge()
