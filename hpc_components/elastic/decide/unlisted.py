"""Tracks machines that were launched or seen alive but are not in the cloud's list.

The list may lag, or omit a machine for a moment.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from hpc_components.elastic.decide.reconcile import COMING, REGISTERED, NodeView
from hpc_components.elastic.decide.table import ALIVE, CloudState
from hpc_components.elastic.journal.entries import Entry
from hpc_components.elastic.model import Instance, InstanceState, Node
from hpc_components.elastic.slurm.node_states import slurm_state


class UnlistedMachines:
    def __init__(
        self,
        nodes: Iterable[Node],
        listed: Sequence[Instance],
        entries: Collection[Entry],
        ended: Collection[str],
        before: Mapping[str, NodeView],
    ) -> None:
        """`ended` contains the ids of machines that the daemon terminated within the list lag."""
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
        """Maps nodes to machines that should be in the list but aren't."""
        self.answered = [unlisted(entry, name) for entry in entries for name in entry.machines or ()]
        """Machines that are known from answers to launches. Some of them may be listed, or gone."""
        self.awaited = frozenset(machine.id for machine in launched if self._is_awaited(machine))
        """Ids of launched machines that have not registered and are not known to have ended."""

    def to_find(self) -> list[str]:
        """Return the ids of missing machines whose nodes are starting.

        These machines must be looked up. Otherwise, the daemon would launch other machines for their nodes.
        """
        return [machine.id for name, machine in self.missing.items() if self._is_coming(name)]

    def found(self, machines: Iterable[Instance]) -> None:
        for machine in machines:
            missing = self.missing.get(machine.node)
            if missing and missing.id == machine.id:
                del self.missing[machine.node]

    def _is_remembered(self, this: NodeView) -> bool:
        """Return whether the machine that was last seen is still regarded as the node's machine.

        If the machine left the list while the node was up, an administrator must have changed the machine's tags.
        Operators are warned as long as the node is up. After that, the machine is forgotten, and the administrator
        decides what happens to it.
        """
        if this.cloud is CloudState.MISSING:
            return this.slurm not in REGISTERED or self._has_registered(this.name)
        return this.cloud in ALIVE

    def _is_awaited(self, machine: Instance) -> bool:
        return machine.id not in self._gone and not self._has_registered(machine.node)

    def _is_coming(self, name: str) -> bool:
        node = self._nodes.get(name)
        return node is not None and slurm_state(node) in COMING

    def _has_registered(self, name: str) -> bool:
        node = self._nodes.get(name)
        return node is not None and slurm_state(node) in REGISTERED


def unlisted(entry: Entry, name: str) -> Instance:
    """Return a machine that is known only from the response to its launch."""
    return Instance(
        id=(entry.machines or {})[name],
        node=name,
        token=entry.launch.token,
        pool=entry.launch.pool,
        state=InstanceState.PENDING,
        launched=entry.launch.asked,
    )
