"""The simulation on Google Cloud: its driver asks the emulated Compute Engine, and is killed between any two
requests.
"""

from collections.abc import Callable
from typing import Any

from elastic.drivers.fake_gce import BUCKET
from elastic.drivers.gce_shapes import PROJECT
from elastic.drivers.gcp_cluster import inside
from elastic.simulation.fake_cloud import Machine
from elastic.simulation.gcp_cloud import GcpCloud
from elastic.simulation.judge import Judge
from elastic.simulation.misfortune import Misfortune
from elastic.simulation.steps import StepWorld
from hpc_components.elastic.drivers.gcp.driver import GcpDriver, Place
from hpc_components.elastic.drivers.gcp.identity import Metadata, Tokens
from hpc_components.elastic.model import Pool


class GcpMisfortune(Misfortune):
    """Nobody changes the labels of machines: a name would be taken of which nobody could know."""

    def hide(self, node: Any) -> None:
        pass

    def harm(self, machine: Machine, *, mute: bool) -> None:
        super().harm(machine, mute=mute)
        if not mute:
            self.cloud.stop(machine)


class GcpJudge(Judge):
    """Knows of placement policies, too."""

    def is_well(self) -> bool:
        gce = self.cloud.gce
        used = {each.rpartition("/")[2] for vm in gce.live() for each in vm.policies}
        return super().is_well() and len(gce.live()) == len(self.cloud.alive) and set(gce.policies_there()) == used

    def judge(self) -> None:
        super().judge()
        assert not self.cloud.gce.mistakes


class GcpWorld(StepWorld):
    """One schedule of bad luck, by seed."""

    def __init__(self, seed: int, tell: Callable[[str], object] | None = None) -> None:
        super().__init__(seed, tell)
        self.judge, self.misfortune = GcpJudge(self), GcpMisfortune(self)

    def make_cloud(self, capacity: dict[Pool, int]) -> GcpCloud:
        return GcpCloud(self.random, self.blinks, self.true_time, capacity)

    def make_driver(self) -> GcpDriver:
        gce = self.cloud.gce
        tokens = Tokens(Metadata(gce.base, inside(gce)), self.true_time)
        place = Place(project=PROJECT, bucket=BUCKET, regions=("",), compute=gce.base, storage=gce.base)
        self.driver = GcpDriver("sim", place, tokens, self.send, self.true_time, self.pass_time)
        return self.driver
