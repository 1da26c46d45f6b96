"""The simulation on Azure: its driver asks the emulated Resource Manager, and is killed between any two requests."""

from collections.abc import Callable, Mapping
from typing import Any

from elastic.drivers.fake_arm import BLOBS, CONFIG, GROUP, IDENTITY
from elastic.drivers.fake_login_sets import OWN_GROUP
from elastic.simulation.azure_cloud import AzureCloud
from elastic.simulation.fake_cloud import Machine
from elastic.simulation.judge import Judge
from elastic.simulation.misfortune import Misfortune
from elastic.simulation.steps import StepWorld
from hpc_components.elastic.drivers.azure.driver import AzureDriver, Place
from hpc_components.elastic.drivers.azure.identity import Metadata, Tokens
from hpc_components.elastic.drivers.http import Answer
from hpc_components.elastic.model import Pool


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


class AzureWorld(StepWorld):
    """One schedule of bad luck, by seed."""

    def __init__(self, seed: int, tell: Callable[[str], object] | None = None) -> None:
        super().__init__(seed, tell)
        self.judge, self.misfortune = AzureJudge(self), AzureMisfortune(self)

    def make_cloud(self, capacity: dict[Pool, int]) -> AzureCloud:
        return AzureCloud(self.random, self.blinks, self.true_time, capacity)

    def make_driver(self) -> AzureDriver:
        arm = self.cloud.arm

        def tokens(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
            status, found, text = arm.send(method, url, headers, body)
            return Answer(status=status, headers=found, body=text)

        place = Place(arm=arm.base, group=GROUP, own_group=OWN_GROUP, config=CONFIG, blobs=f"{arm.base}{BLOBS}")
        known = Tokens(Metadata("http://imds.test", tokens), IDENTITY, self.true_time)
        self.driver = AzureDriver("sim", place, known, self.send, self.wall_time, self.true_time, self.pass_time)
        return self.driver


class NamedWorld(AzureWorld):
    """All machines are in availability sets."""

    def make_cloud(self, capacity: dict[Pool, int]) -> AzureCloud:
        return AzureCloud(self.random, self.blinks, self.true_time, capacity, named=True)
