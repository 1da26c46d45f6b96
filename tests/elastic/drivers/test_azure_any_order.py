"""Launches, crashes between any two requests, lost answers, shortage, evictions and deletions in any order: the
machines that there are have the names that were wanted, and no launch ever has a second set.
"""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from elastic.drivers.arm_shapes import ScaleSet, Vm
from elastic.drivers.azure_cluster import FIRST, NAMED, SECOND, add_sets, inside, launch, make_driver, set_name
from elastic.drivers.conftest import Clock
from elastic.drivers.fake_arm import AzureError, FakeArm
from hpc_components.elastic.drivers.contract import LaunchError
from hpc_components.elastic.drivers.http import Answer
from hpc_components.elastic.model import Launch, Pool

NUMBERS = st.lists(st.integers(1, 40), min_size=1, max_size=8, unique=True)
ACTIONS = (
    "scale", "delete", "write blob", "list machines", "show set", "show operation", "deploy", "delete machine",
    "show deployment", "show machine",
)  # fmt: skip
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("launch"), NUMBERS, st.integers(1, 8)),
        st.tuples(st.just("again"), st.integers(0, 3)),
        st.tuples(st.just("crash"), st.integers(0, 12), st.booleans()),
        st.tuples(st.just("lose"), st.sampled_from(ACTIONS)),
        st.tuples(st.just("left"), st.integers(0, 12)),
        st.tuples(st.just("fail"), st.sampled_from([None, "InternalServerError", "QuotaExceeded", "Conflict"])),
        st.tuples(st.just("end"), st.integers(0, 3)),
        st.tuples(st.just("evict"), st.integers(0, 3)),
        st.tuples(st.just("look")),
        st.tuples(st.just("wait"), st.sampled_from([1, 30, 90])),
    ),
    max_size=20,
)
KNOBS = st.fixed_dictionaries(
    {
        "one_at_a_time": st.booleans(),
        "keeps_failed": st.booleans(),
        "counts_late": st.booleans(),
        "forgets_capacity": st.sampled_from([0, 3]),
        "host_seconds": st.sampled_from([0, 7]),
        "boot_seconds": st.sampled_from([0, 20]),
        "stop_seconds": st.sampled_from([0, 20]),
        "lag_seconds": st.sampled_from([0, 3]),
        "page": st.sampled_from([3, 1000]),
        "throttled": st.booleans(),
    }
)


class Crash(BaseException):
    """kill -9."""


class Account:
    """A driver and what it was asked to launch, all from one scale set or availability set."""

    def __init__(self, pool: Pool, knobs: dict) -> None:
        self.clock, self.pool = Clock(), pool
        self.arm = FakeArm(self.clock)
        add_sets(self.arm, pool)
        vars(self.arm).update(knobs)
        self.arm.on_made = self.look_at_machine
        self.launches: list[Launch] = []
        self.crash_in: int | None = None
        self.crash_after = False
        self.lost: Counter[str] = Counter()
        self.looking = False
        self.restart()

    def restart(self) -> None:
        self.driver = make_driver(self.arm, self.send, sleep=self.sleep)

    def send(self, method, url, headers, body) -> Answer:
        crashes = self.crash_in == 0
        self.crash_in = None if self.crash_in in (None, 0) else self.crash_in - 1
        if crashes and not self.crash_after:
            raise Crash
        answer = inside(self.arm)(method, url, headers, body)
        action, _ = self.arm.action(method, url.removeprefix(self.arm.base).partition("?")[0])
        if crashes:
            raise Crash
        if self.lost[action] > 0:
            self.lost[action] -= 1
            raise OSError("connection reset")
        return answer

    def sleep(self, seconds: float) -> None:
        """While a launch waits, the daemon lists the machines."""
        self.clock.now += seconds
        if int(self.clock.now) % 5 == 0:
            self.look()

    def look_at_machine(self, scale_set: ScaleSet, vm: Vm) -> None:
        there = [each for each in scale_set.vms if each.ended is None and not each.evicted]
        assert len(there) <= sum(len(each.nodes) for each in self.launches), "a second set"

    # What happens.

    def launch(self, numbers: list[int], minimum: int) -> None:
        token = f"t{len(self.launches)}"
        self.launches.append(launch(*numbers, minimum=min(minimum, len(numbers)), token=token, pool=self.pool))
        self.again(0)

    def again(self, back: int) -> None:
        if back < len(self.launches):
            this = self.launches[-1 - back]
            for machine in self.driver.launch(this):
                assert (machine.token, machine.pool) == (this.token, this.pool)
                assert machine.node in this.nodes

    def crash(self, requests: int, after: bool) -> None:
        self.crash_in, self.crash_after = requests, after

    def lose(self, action: str) -> None:
        self.lost[action] += 1

    def left(self, count: int) -> None:
        self.arm.left[self.pool.machine, self.pool.zone] = count

    def fail(self, code: str | None) -> None:
        status = 500 if code == "InternalServerError" else 409
        self.arm.fail = dict.fromkeys(("scale", "deploy"), AzureError(code, "No.", status)) if code else {}

    def end(self, every: int) -> None:
        self.driver.terminate([each.id for index, each in enumerate(self.driver.list()) if index % 4 >= every])

    def evict(self, index: int) -> None:
        if len(live := self.arm.live()) > index:
            self.arm.evict(self.arm.sets[set_name(self.pool)], live[index])

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
        self.crash_in, self.arm.fail = None, {}
        self.arm.forgets_capacity = self.arm.lag_seconds = 0
        for _ in range(4):
            self.clock.now += 100
            self.driver.list()

    def judge(self) -> None:
        listed = [each for each in self.driver.list() if each.alive]
        unwanted = {each.id for each in listed if each.node == each.id or each.failing}
        self.driver.terminate(unwanted)  # as the daemon does
        named = [each for each in listed if each.id not in unwanted]
        assert {each.id.rpartition("/")[2] for each in named} == {vm.vm_id for vm in self.arm.live()}
        for this in self.launches:
            own = [each.node for each in named if each.token == this.token]
            assert len(own) == len(set(own))
            assert set(own) <= set(this.nodes)
        assert not self.arm.mistakes
        self.clock.now += 100
        self.driver.terminate([each.id for each in named])
        assert not self.arm.live()
        self.clock.now += 100
        self.driver.list()
        assert all(not each.alive for each in self.driver.list())
        assert self.arm.sets[set_name(self.pool)].capacity == 0


@settings(max_examples=150)
@given(STEPS, KNOBS, st.sampled_from([FIRST, SECOND, NAMED]))
def test_the_machines_have_the_wanted_names_and_no_launch_has_a_second_set(steps, knobs, pool):
    account = Account(pool, knobs)
    for verb, *details in steps:
        try:
            getattr(account, verb)(*details)
        except Crash:
            account.restart()
        except (LaunchError, OSError):
            continue
    account.heal()
    account.judge()
