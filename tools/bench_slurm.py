"""A Slurm that shows what a bench says, and listens to nobody."""

from collections.abc import Collection, Sequence

from hpc_components.elastic.model import Job, Node


class Slurm:
    """Shows nodes in one state, which a caller changes."""

    def __init__(self, names: Sequence[str], size: int, states: Collection[str]) -> None:
        self._names, self._size, self.states = names, size, frozenset(states)

    def nodes(self) -> Sequence[Node]:
        """New values each time, as from a parser."""
        return [Node(name=name, states=self.states, booted_at=1.0) for name in self._names]

    def jobs(self) -> Sequence[Job]:
        """So many nodes each."""
        state = "CONFIGURING" if "POWERING_UP" in self.states else "RUNNING"
        starts = range(0, len(self._names), self._size)
        return [Job(id=first, state=state, nodes=tuple(self._names[first : first + self._size])) for first in starts]

    def bound(self) -> Collection[int]:
        """None."""
        return ()

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        """Nobody listens."""

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        """Nobody listens."""

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        """Nobody listens."""
