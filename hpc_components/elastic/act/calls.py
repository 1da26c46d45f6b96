import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from hpc_components.elastic.journal.entries import Entry
from hpc_components.elastic.model import Instance, Pool


@dataclass(frozen=True, kw_only=True)
class Call:
    """A single call to `Driver.launch`."""

    entry: Entry
    """The journal entry to keep until the answer arrives."""
    former: Entry | None
    """The journal entry before the call, or None if the launch is being sent for the first time."""
    needs: int = 0
    """Total number of machines that the launch's smallest job needs from the pool. Set only when the launch is first
    sent."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    call: Call
    machines: Sequence[Instance] = ()
    error: Exception | None = None
    """The error if the call failed or its outcome is unknown, or None if it succeeded."""


class LaunchCalls:
    """Runs at most one call per pool, each in its own thread. The thread that starts calls also collects the answers.

    `on_late_answer` is called, from another thread, when an answer arrives after the cycle has stopped waiting for
    answers.
    """

    def __init__(self, on_late_answer: Callable[[], object] = lambda: None) -> None:
        self._on_late_answer = on_late_answer
        self._under_way: dict[Pool, Call] = {}
        self._late: set[str] = set()
        self._done: SimpleQueue[tuple[Call, Sequence[Instance], BaseException | None]] = SimpleQueue()

    @property
    def under_way(self) -> Mapping[Pool, Call]:
        """Calls whose answers have not been collected yet, keyed by pool."""
        return self._under_way

    def new_token(self) -> str:
        return uuid.uuid4().hex

    def start(self, call: Call, launch: Callable[[], Sequence[Instance]]) -> None:
        """Run `launch` in a thread. The call's pool must not have another call under way."""
        self._under_way[call.entry.launch.pool] = call
        # A daemon thread doesn't keep the process alive. The call is in the journal, so it is repeated after a
        # restart.
        threading.Thread(target=self._run, args=(call, launch), daemon=True).start()

    def next_answer(self, patience: float) -> Answer | None:
        """Return the next answer, or None if none arrives within `patience` seconds.

        If None is returned, all calls that are still under way trigger `on_late_answer` when they are answered.
        """
        found = self._next(patience) if self._under_way else None
        if found is None:
            self._late.update(call.entry.launch.token for call in self._under_way.values())
            found = self._next(0.0)  # an answer may have arrived in the meantime
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
        except BaseException as error:  # re-raised when the answer is collected
            self._done.put((call, (), error))
        if call.entry.launch.token in self._late:
            self._on_late_answer()
