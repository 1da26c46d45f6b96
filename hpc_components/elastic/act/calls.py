"""Launch calls under way: those of different pools do not wait for each other, and no cycle waits long for one."""

import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from hpc_components.elastic.journal.entries import Entry
from hpc_components.elastic.model import Instance, Pool

__all__ = ["Answer", "Call", "LaunchCalls"]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of `Driver.launch`."""

    entry: Entry
    """The journal's entry until the answer comes."""
    former: Entry | None
    """The journal's entry before the call; None if the launch is sent for the first time."""
    needs: int = 0
    """How many machines its smallest job needs from the pool in all, if it is sent for the first time."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of a call."""

    call: Call
    """The call."""
    machines: Sequence[Instance] = ()
    """What it made."""
    error: Exception | None = None
    """Why it made nothing, or why nobody knows."""


class LaunchCalls:
    """At most one call for each pool, each in a thread of its own. The thread that starts calls takes the answers.

    `on_late_answer` is called, from another thread, when an answer comes that no cycle waits for any more.
    """

    def __init__(self, on_late_answer: Callable[[], object] = lambda: None) -> None:
        self._on_late_answer = on_late_answer
        self._under_way: dict[Pool, Call] = {}
        self._late: set[str] = set()
        self._done: SimpleQueue[tuple[Call, Sequence[Instance], BaseException | None]] = SimpleQueue()

    @property
    def under_way(self) -> Mapping[Pool, Call]:
        """Calls whose answer was not taken yet."""
        return self._under_way

    def new_token(self) -> str:
        """A token that no other launch has or had."""
        return uuid.uuid4().hex

    def start(self, call: Call, launch: Callable[[], Sequence[Instance]]) -> None:
        """Have `launch` run. Its pool must have no other call under way."""
        self._under_way[call.entry.launch.pool] = call
        # A daemon thread: the call must not keep the process alive. It is in the journal, and will be repeated.
        threading.Thread(target=self._run, args=(call, launch), daemon=True).start()

    def next_answer(self, patience: float) -> Answer | None:
        """The next answer; None after `patience` seconds: from then on all calls under way count as late."""
        found = self._next(patience) if self._under_way else None
        if found is None:
            self._late.update(call.entry.launch.token for call in self._under_way.values())
            found = self._next(0.0)  # it came in between
        if found is None:
            return None
        call, machines, error = found
        del self._under_way[call.entry.launch.pool]
        self._late.discard(call.entry.launch.token)
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
        except BaseException as error:  # raised where the answer is taken
            self._done.put((call, (), error))
        if call.entry.launch.token in self._late:
            self._on_late_answer()
