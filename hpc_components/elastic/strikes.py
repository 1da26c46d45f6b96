"""Pools whose machines do not come up."""

from collections.abc import Collection, Iterable

from hpc_components.elastic.decisions import Action
from hpc_components.elastic.model import Pool
from hpc_components.elastic.reconcile import REGISTERED, Seen, View

__all__ = ["LIMIT", "Strikes"]

LIMIT = 3
"""Machines in a row after which a pool is left alone."""


class Strikes:
    """Counts, for each pool, machines that died or were ended before they registered.

    A broken image or boot script would otherwise be paid for again and again. A machine of the pool that works clears
    it: then it is not the pool.
    """

    def __init__(self) -> None:
        self._ids: dict[Pool, set[str]] = {}

    def count(self, view: View, replaced: Iterable[Seen], ended: Collection[str]) -> list[Pool]:
        """Count what has failed since the last time. Returns pools that have reached the limit; they start anew.

        `ended` are machines that we have ended ourselves: no fault of theirs, unless they are among `replaced`.
        """
        died = (this for this in view.todo.get(Action.LAUNCH, ()) if this.machine and this.machine.id not in ended)
        for this in (*replaced, *died):
            if this.machine:
                self._ids.setdefault(this.machine.pool, set()).add(this.machine.id)
        if any(len(ids) >= LIMIT for ids in self._ids.values()):
            for this in view.seen.values():
                if this.slurm in REGISTERED and this.machine:
                    self._ids.pop(this.machine.pool, None)
        out = [pool for pool, ids in self._ids.items() if len(ids) >= LIMIT]
        for pool in out:
            del self._ids[pool]
        return out
