"""A small cloud with a meter of its own: it knows nothing of ledgers, and bills by the millisecond."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from hpc_components.elastic.model import Instance, Launch, Pool
from hpc_components.rehearse.cluster.local_cloud import Hypervisor, LocalCloud
from hpc_components.rehearse.events import Code

MINIMUM_MS = 60_000


@dataclass
class Meter:
    """What the machines of a cloud cost, by what happened to them there."""

    begun: dict[str, tuple[Pool, int]] = field(default_factory=dict)
    """Pool and creation of each machine, in milliseconds since the epoch."""
    ended: dict[str, int] = field(default_factory=dict)
    prices: dict[Pool, list[tuple[int, Fraction]]] = field(default_factory=dict)
    """Since when, and USD per hour, oldest first."""

    def usd(self, id: str, now: int) -> Fraction:
        """What a machine has cost until now; at least a minute."""
        pool, begin = self.begun[id]
        end = max(self.ended[id], begin + MINIMUM_MS) if id in self.ended else now
        return usd_between(self.prices[pool], begin, end)


def usd_between(history: Sequence[tuple[int, Fraction]], begin: int, end: int) -> Fraction:
    """The first price also holds before its time."""
    total = Fraction(0)
    for index, (since, usd) in enumerate(history):
        start = max(begin, since) if index else begin
        until = min(end, history[index + 1][0]) if index + 1 < len(history) else end
        total += usd * max(0, until - start) / 3_600_000
    return total


class MeteredCloud(LocalCloud):
    """Machines whose creation and end the meter sees."""

    def __init__(self, hypervisor: Hypervisor, meter: Meter) -> None:
        super().__init__(hypervisor)
        self.meter = meter

    def _make(self, launch: Launch) -> tuple[str, ...]:
        made = super()._make(launch)
        for id in made:
            machine = self._machines[id]
            self.meter.begun[id] = machine.pool, round(machine.launched * 1000)
        return made

    def _end(self, id: str, code: Code, words: str, *, taken: bool = False) -> None:
        super()._end(id, code, words, taken=taken)
        machine = self._machines.get(id)
        if machine and machine.ended is not None:
            self.meter.ended.setdefault(id, round(machine.ended * 1000))

    def machines(self) -> Mapping[str, Instance]:
        return {id: replace(machine) for id, machine in self._machines.items()}
