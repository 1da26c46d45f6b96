"""What the ledger must say in the end: when each machine's billing began and ended, with all bad luck."""

from bisect import bisect_left
from typing import TYPE_CHECKING

from elastic.simulation.doors import WrongError
from elastic.simulation.fake_cloud import MAX_LAG, Machine
from hpc_components.elastic.ledger.ledger import Ledger
from hpc_components.elastic.ledger.news import Known, Sighting
from hpc_components.elastic.ledger.records import ClockSet, record_of

if TYPE_CHECKING:
    from elastic.simulation.world import World

FEW = 20.0
"""Seconds for which a call may take, and by which a request precedes its machine."""


class CostJudge:
    """Compares the ledger with what really happened to the machines."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.machines: list[Machine] = []
        self.looks: list[float] = []
        """True times of the cycles that recorded something or found nothing to record."""
        before = world.cloud.on_launch

        def launched(machine: Machine) -> None:
            self.machines.append(machine)
            before(machine)

        world.cloud.on_launch = launched

    def watch(self, ledger: Ledger) -> Ledger:
        """Note when the daemon looks."""
        see = ledger.see

        def seeing(seen: Sighting) -> None:
            see(seen)
            self.looks.append(self.world.now)

        ledger.see = seeing  # ty: ignore
        return ledger

    def judge(self) -> None:
        known, epoch = Known(), 0.0
        for line in self.world.recorded:
            if record := record_of(line):
                known.apply(record)
                epoch = record.epoch if isinstance(record, ClockSet) else epoch
        listed_since = {machine.id: machine for machine in self.machines}
        if strangers := set(known.lives) - set(listed_since):
            raise WrongError(f"the ledger knows machines that never were: {strangers}")
        for machine in self.machines:
            self._judge(machine, known, epoch)

    def _judge(self, machine: Machine, known: Known, epoch: float) -> None:
        life = known.lives.get(machine.id)
        if life is None:
            if self._surely_seen(machine):
                raise WrongError(f"{machine.id} is not in the ledger")
            return
        if life.started.started_by == "cloud" and abs(life.started.started - machine.launched) > 0.001:
            raise WrongError(f"{machine.id} began at {machine.launched}, not {life.started.started}")
        if machine.id in self.world.cloud.once_hidden:
            return  # nobody could know when it ended
        if machine.ended is None:
            if life.ended:
                raise WrongError(f"{machine.id} runs, but ended at {life.ended.ended} according to the ledger")
            return
        latest = self._sure_look(machine.ended + MAX_LAG)
        if life.ended is None:
            if latest is not None:
                raise WrongError(f"{machine.id} ended at {machine.ended}, but runs according to the ledger")
            return
        ended = life.ended.ended - epoch
        earliest = machine.ended - self.world.cloud.limits.list_lag_seconds - FEW
        if not earliest <= ended <= (latest or self.world.now) + FEW:
            raise WrongError(f"{machine.id} ended at {machine.ended}, not {ended} ({life.ended})")

    def _surely_seen(self, machine: Machine) -> bool:
        """Whether a list must have shown it, alive or ended."""
        return not machine.hidden and self._sure_look(machine.launched + MAX_LAG) is not None

    def _sure_look(self, after: float) -> float | None:
        """The third look after that time, because a list may lack a machine once or twice."""
        at = bisect_left(self.looks, after) + 2
        return self.looks[at] if at < len(self.looks) else None
