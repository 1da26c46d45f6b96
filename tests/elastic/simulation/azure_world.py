"""The simulation on Azure: its driver asks the emulated Resource Manager, and is killed between any two requests."""

from collections.abc import Callable, Mapping
from typing import Any

from elastic.drivers.fake_arm import BLOBS, CONFIG, GROUP, IDENTITY
from elastic.simulation.azure_cloud import AzureCloud
from elastic.simulation.doors import Crash
from elastic.simulation.fake_cloud import Machine
from elastic.simulation.judge import Judge
from elastic.simulation.misfortune import Misfortune
from elastic.simulation.world import World
from hpc_components.elastic.act.calls import Call, LaunchCalls
from hpc_components.elastic.drivers.azure.driver import AzureDriver, Place
from hpc_components.elastic.drivers.azure.http import Answer
from hpc_components.elastic.drivers.azure.identity import Metadata, Tokens
from hpc_components.elastic.drivers.azure.launching import Steps
from hpc_components.elastic.model import Pool


class StepCalls(LaunchCalls):
    """Launches under way on the virtual clock, each step by step, as if in a thread of its own."""

    def __init__(self, world: "AzureWorld") -> None:
        super().__init__()
        self.world = world
        self.waiting: list[tuple[float, Call, Steps]] = []
        """Due at, and what."""
        self.stepping = False

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


class AzureMisfortune(Misfortune):
    """Azure lists machines by their scale set, whose tags nobody changes."""

    def hide(self, node: Any) -> None:
        pass

    def harm(self, machine: Machine, *, mute: bool) -> None:
        super().harm(machine, mute=mute)
        if not mute:
            self.cloud.stop(machine)


class AzureJudge(Judge):
    """Knows of machines without a name, too."""

    def is_well(self) -> bool:
        return super().is_well() and len(self.cloud.arm.live()) == len(self.cloud.alive)

    def judge(self) -> None:
        super().judge()
        assert not self.cloud.arm.mistakes


class AzureWorld(World):
    """One schedule of bad luck, by seed."""

    def __init__(self, seed: int, tell: Callable[[str], object] | None = None) -> None:
        super().__init__(seed, tell)
        self.judge, self.misfortune = AzureJudge(self), AzureMisfortune(self)

    def make_cloud(self, capacity: dict[Pool, int]) -> AzureCloud:
        return AzureCloud(self.random, self.true_time, capacity)

    def make_calls(self) -> StepCalls:
        return StepCalls(self)

    def make_driver(self) -> AzureDriver:
        arm = self.cloud.arm

        def tokens(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
            status, found, text = arm.send(method, url, headers, body)
            return Answer(status=status, headers=found, body=text)

        place = Place(arm=arm.base, group=GROUP, config=CONFIG, blobs=f"{arm.base}{BLOBS}")
        known = Tokens(Metadata("http://imds.test", tokens), IDENTITY, self.true_time)
        self.driver = AzureDriver("sim", place, known, self.send, self.wall_time, self.true_time, self.pass_time)
        return self.driver

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


class NamedWorld(AzureWorld):
    """All machines are in availability sets."""

    def make_cloud(self, capacity: dict[Pool, int]) -> AzureCloud:
        return AzureCloud(self.random, self.true_time, capacity, named=True)
