"""The simulation with a cloud's own driver: its requests go to an emulation, and it is killed between any two."""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Protocol

from elastic.simulation.doors import Crash
from elastic.simulation.world import World
from hpc_components.elastic.act.calls import Call, LaunchCalls
from hpc_components.elastic.drivers.contract import Driver
from hpc_components.elastic.drivers.http import Answer
from hpc_components.elastic.model import Instance, Launch

Steps = Generator[float, None, Sequence[Instance]]


class StepDriver(Driver, Protocol):
    """A driver whose launches can be had as steps, with the seconds to wait between them."""

    def steps(self, launch: Launch) -> Steps: ...


class StepCalls(LaunchCalls):
    """Launches under way on the virtual clock, each step by step, as if in a thread of its own."""

    def __init__(self, world: "StepWorld") -> None:
        super().__init__()
        self.world = world
        self.waiting: list[tuple[float, Call, Steps]] = []
        """Due at, and what."""
        self.stepping = False

    def new_token(self) -> str:
        return f"{self.world.tokens.getrandbits(128):032x}"

    def start(self, call: Call, launch: Callable[[], Any]) -> None:
        self._under_way[call.entry.launch.pool] = call
        self.waiting.append((self.world.now, call, self.world.driver.steps(call.entry.launch)))
        self.run_due()

    def run_due(self) -> None:
        """All steps that are due; Crash."""
        if self.stepping:
            return  # time passes in one of them
        self.stepping = True
        try:
            while due := [each for each in self.waiting if each[0] <= self.world.now]:
                for each in due:
                    self.waiting.remove(each)
                    self._step(*each[1:])
        finally:
            self.stepping = False

    def _step(self, call: Call, steps: Steps) -> None:
        try:
            self.waiting.append((self.world.now + next(steps), call, steps))
        except StopIteration as end:
            self._done.put((call, end.value, None))
        except Exception as error:
            self._done.put((call, (), error))

    def _next(self, patience: float) -> Any:
        end = self.world.now + patience
        while self._done.empty() and self.waiting and (due := min(each[0] for each in self.waiting)) <= end:
            self.world.pass_time(max(0.0, due - self.world.now))
        if self._done.empty() and patience and self.waiting:
            self.world.pass_time(max(0.0, end - self.world.now))
        return None if self._done.empty() else self._done.get_nowait()

    def abandon(self) -> None:
        """Whoever made the calls is dead."""
        for _, _, steps in self.waiting:
            steps.close()
        self.waiting.clear()


class StepWorld(World):
    """One schedule of bad luck, by seed. `make_driver` has to leave what it makes in `driver`, too."""

    driver: StepDriver
    keeps_ledger = False

    def make_calls(self) -> StepCalls:
        return StepCalls(self)

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """A request of the daemon, which may be killed before and after it. Launches do not go on meanwhile: in
        threads they would wait for what is locked.
        """
        stepping, self.calls.stepping = self.calls.stepping, True
        try:
            self.boundary()
            answer = self.cloud.send(method, url, headers, body)
            self.boundary()
            return answer
        finally:
            self.calls.stepping = stepping

    def arrange(self) -> None:
        super().arrange()
        self.cloud.arrange()
        self.crash /= 3  # there are more requests than calls

    def pass_time(self, seconds: float) -> None:
        end = self.now + seconds
        try:
            while not self.calls.stepping and (due := [each[0] for each in self.calls.waiting if each[0] <= end]):
                self.now = max(self.now, min(due))
                self.calls.run_due()
        except Crash:
            if self.in_cycle:
                raise
            self.crashed()
        super().pass_time(max(0.0, end - self.now))

    def cycle(self) -> None:
        self.in_cycle = True
        try:
            super().cycle()
        finally:
            self.in_cycle = False
