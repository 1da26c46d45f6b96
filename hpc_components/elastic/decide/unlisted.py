"""Machines that were launched or seen alive, and that the list lacks: it may be behind, or forget one for once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from hpc_components.elastic.decide.reconcile import COMING, REGISTERED, Seen
from hpc_components.elastic.decide.table import CloudState
from hpc_components.elastic.journal.file import Entry
from hpc_components.elastic.model import Instance, InstanceState, Node
from hpc_components.elastic.slurm.node_states import slurm_state

__all__ = ["Sight", "unlisted"]

_ALIVE = frozenset({CloudState.PENDING, CloudState.RUNNING, CloudState.FAILING})


class Sight:
    """One look at the list, beside what is known from the last look and from the journal."""

    def __init__(
        self,
        nodes: Iterable[Node],
        listed: Sequence[Instance],
        entries: Collection[Entry],
        ended: Collection[str],
        before: Mapping[str, Seen],
    ) -> None:
        """`ended` are ids of machines that were ended within the listing delay."""
        self._nodes = {node.name: node for node in nodes}
        self._gone = {machine.id for machine in listed if not machine.alive}.union(ended)
        self._alive = {machine.id for machine in listed if machine.alive}
        last = {name: entry.launch.token for entry in entries for name in entry.nodes}
        launched = [
            unlisted(entry, name)
            for entry in entries
            for name in entry.machines or ()
            if last[name] == entry.launch.token
        ]
        seen = (this.machine for this in before.values() if this.machine and self._is_remembered(this))
        known = {machine.node: machine for machine in chain(seen, launched) if machine.id not in self._gone}
        self.missing = {name: machine for name, machine in known.items() if machine.id not in self._alive}
        """Node -> its machine that the list lacks."""
        self.awaited = frozenset(machine.id for machine in launched if self._is_awaited(machine))
        """Ids of machines that were launched, and have neither registered nor been seen to end."""

    def to_find(self) -> list[str]:
        """Ids to ask the cloud for: on what they are depends whether another machine is launched."""
        return [machine.id for name, machine in self.missing.items() if self._is_coming(name)]

    def found(self, machines: Iterable[Instance]) -> None:
        """The cloud knows these by their ids."""
        for machine in machines:
            missing = self.missing.get(machine.node)
            if missing and missing.id == machine.id:
                del self.missing[machine.node]

    def _is_remembered(self, this: Seen) -> bool:
        """Whether the machine seen last is looked for; one that was taken out of the list while it worked is not.

        Its node is told to people for as long as it is up. What becomes of it then is for whoever changed its tags.
        """
        if this.cloud is CloudState.MISSING:
            return this.slurm not in REGISTERED or self._has_registered(this.name)
        return this.cloud in _ALIVE

    def _is_awaited(self, machine: Instance) -> bool:
        return machine.id not in self._gone and not self._has_registered(machine.node)

    def _is_coming(self, name: str) -> bool:
        node = self._nodes.get(name)
        return node is not None and slurm_state(node) in COMING

    def _has_registered(self, name: str) -> bool:
        node = self._nodes.get(name)
        return node is not None and slurm_state(node) in REGISTERED


def unlisted(entry: Entry, name: str) -> Instance:
    """A machine of which only the answer to its launch is known."""
    return Instance(
        id=(entry.machines or {})[name],
        node=name,
        token=entry.launch.token,
        pool=entry.launch.pool,
        state=InstanceState.PENDING,
        launched=entry.launch.asked,
    )
