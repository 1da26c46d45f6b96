"""Launches that are under way: those of different pools do not wait for each other, and nobody waits long for one."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from hpc_components.elastic.journal.file import Entry
from hpc_components.elastic.model import Instance, Pool

__all__ = ["Answer", "Call", "Calls"]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One sending of a launch."""

    entry: Entry
    """As it is in the journal while nobody knows what comes of it."""
    former: Entry | None
    """What the journal said before; None if the launch is sent for the first time."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of a call."""

    call: Call
    """Which one."""
    machines: Sequence[Instance] = ()
    """What it made."""
    error: Exception | None = None
    """Why it made nothing, or why nobody knows."""


class Calls:
    """At most one for each pool, each in a thread of its own. Only the thread that starts them hears the answers.

    `late` is called, from another thread, when an answer comes that nobody waits for any more.
    """

    def __init__(self, late: Callable[[], object] = lambda: None) -> None:
        self._late = late
        self._under_way: dict[Pool, Call] = {}
        self._left: set[str] = set()
        self._done: SimpleQueue[tuple[Call, Sequence[Instance], BaseException | None]] = SimpleQueue()

    @property
    def under_way(self) -> Mapping[Pool, Call]:
        """Calls whose answer was not heard yet."""
        return self._under_way

    def start(self, call: Call, launch: Callable[[], Sequence[Instance]]) -> None:
        """Have `launch` run. Its pool must have no other call under way."""
        self._under_way[call.entry.launch.pool] = call
        # It must not keep a daemon that is stopped: the call is in the journal, and will be repeated.
        threading.Thread(target=self._run, args=(call, launch), daemon=True).start()

    def hear(self, patience: float) -> Answer | None:
        """The next answer; None if there is none in so many seconds: then all that are under way may come late."""
        found = self._next(patience) if self._under_way else None
        if found is None:
            self._left.update(call.entry.launch.token for call in self._under_way.values())
            found = self._next(0.0)  # it came in between
        if found is None:
            return None
        call, machines, error = found
        del self._under_way[call.entry.launch.pool]
        self._left.discard(call.entry.launch.token)
        if error is not None and not isinstance(error, Exception):
            raise error
        return Answer(call=call, machines=machines, error=error)

    def _next(self, patience: float) -> tuple[Call, Sequence[Instance], BaseException | None] | None:
        try:
            return self._done.get(timeout=patience) if patience else self._done.get_nowait()
        except Empty:
            return None

    def _run(self, call: Call, launch: Callable[[], Sequence[Instance]]) -> None:
        try:
            self._done.put((call, launch(), None))
        except BaseException as error:  # whoever hears it raises it
            self._done.put((call, (), error))
        if call.entry.launch.token in self._left:
            self._late()
