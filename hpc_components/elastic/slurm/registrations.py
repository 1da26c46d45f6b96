"""Tracks which nodes have registered with slurmctld, and at which addresses.

The daemon reads Slurm once per cycle, which takes five seconds or, if the cloud is slow, longer. While something is
waiting for nodes (a job about to start, or the name server), this module reads their states every second, so that a
registration is noticed within about a second.
"""

import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from hpc_components.elastic.model import Node

INTERVAL_SECONDS = 1.0
"""Seconds between readings while a node is starting or a caller is waiting."""
PAUSE_FACTOR = 4
"""Minimum ratio of the pause after a reading to the reading's duration, so that slurmctld has time for other work."""

_OFF = frozenset({"POWERED_DOWN", "POWERING_DOWN", "POWERING_UP"})
"""Node states that Slurm itself checks before it starts a job. Source: test_job_nodes_ready in job_mgr.c, 22.05.8 to
25.11.2."""
_HELD = frozenset({"ALLOCATED", "MIXED"})


def has_registered(node: Node) -> bool:
    """Return whether the node's machine has registered with slurmctld and is not being terminated."""
    return _OFF.isdisjoint(node.states)


def is_coming(node: Node) -> bool:
    """Return whether the node is off or booting, and was requested by a job or an administrator."""
    return is_awaited(node) or (_OFF & node.states == {"POWERING_UP"} and "DOWN" not in node.states)


def is_awaited(node: Node) -> bool:
    """Return whether the node is off or booting, and allocated to a job.

    For a moment after the allocation, until slurmctld calls ResumeProgram, Slurm still shows such a node as
    POWERED_DOWN.
    """
    return not has_registered(node) and "DOWN" not in node.states and not _HELD.isdisjoint(node.states)


class _Waiter:
    def __init__(self, nodes: Collection[str], since: float, then: Callable[[], None]) -> None:
        self.nodes = tuple(nodes)
        self.since = since
        self.then = then


class Registrations:
    """The latest reading of Slurm's nodes, and the callers that are waiting for nodes to register.

    May be used from any thread.
    """

    def __init__(
        self,
        read: Callable[[], Sequence[Node]],
        publish: Callable[[Mapping[str, str], Collection[str]], None] = lambda addresses, off: None,
        clock: Callable[[], float] = time.monotonic,
        report: Callable[[OSError], None] = lambda error: None,
        unpublished: Callable[[OSError], None] = lambda error: None,
    ) -> None:
        """`read` returns all nodes or raises OSError, and may be slow.

        `publish` is called with the addresses of all registered nodes, keyed by node name, and with the names of all
        other nodes. It is called after the first reading and after every change, one call at a time, before callers
        waiting for these nodes are released. If `publish` fails, the callers are released all the same, and the call
        is repeated after the next reading.

        `report` is called with the error of a failed reading, and `unpublished` with an OSError raised by `publish`.
        If a failure persists, only its first error is passed on.
        """
        self._read = read
        self._publish = publish
        self._clock = clock
        self._report = report
        self._unpublished = unpublished
        self._away = False
        self._publish_fails = False
        self._putting = threading.Lock()  # held while a reading is published, so that readings don't overlap
        self._changed = threading.Condition()  # guards the attributes that follow
        self._nodes: Mapping[str, Node] = {}
        self._began = float("-inf")
        self._published: tuple[Mapping[str, str], Collection[str]] | None = None
        self._waiters: list[_Waiter] = []
        self._stopped = False
        self._next = 0.0

    def put(self, nodes: Sequence[Node], began: float) -> None:
        """Accept a reading that started at `began` (`time.monotonic`), unless a later reading has already been
        accepted.
        """
        with self._putting:
            if began < self._began:
                return
            addresses = {node.name: node.address for node in nodes if has_registered(node) and node.address}
            self._tell(addresses, frozenset(node.name for node in nodes) - addresses.keys())
            with self._changed:
                self._nodes = {node.name: node for node in nodes}
                self._began = began
                free, self._waiters = _parted(self._waiters, self._is_over)
                self._changed.notify_all()
        for waiter in free:
            waiter.then()

    def when_up(self, nodes: Collection[str], then: Callable[[], None]) -> None:
        """Call `then` as soon as all nodes have registered, or one of them never will. The call is made immediately
        or from another thread.

        The wait also ends if a node is set to down or loses its job, because such a node will never register, and the
        caller's job is gone. A node that Slurm does not list as CLOUD is treated as registered. While Slurm does not
        answer, the wait continues. `then` must neither raise nor block, because that would delay other callers.
        """
        waiter = _Waiter(nodes, self._clock(), then)
        with self._changed:
            # Trust the last reading only if it is so recent that no node can have been switched off and restarted
            # since. If it shows one of the nodes as off, wait for another reading, because the node may have started
            # in the meantime.
            fresh = waiter.since - self._began <= INTERVAL_SECONDS
            there = fresh and all(has_registered(self._nodes[name]) for name in nodes if name in self._nodes)
            if not there:
                self._waiters.append(waiter)
                self._changed.notify_all()
        if there:
            then()

    def run(self) -> None:
        """Query the state of Slurm's nodes on request until `stop` is called. Must run in its own thread."""
        while self._pause():
            try:
                self.look()
            # continue, because the next reading may succeed and jobs must not be kept waiting
            except Exception as error:
                sys.excepthook(type(error), error, error.__traceback__)

    def look(self) -> None:
        """Take one reading. If slurmctld does not answer, report the error and try again later."""
        began = self._clock()
        try:
            nodes = self._read()
        except OSError as error:
            nodes = None
            if not self._away:
                self._report(error)
            self._away = True
        else:
            self._away = False
        finally:
            self._next = began + max(INTERVAL_SECONDS, (self._clock() - began) * (1 + PAUSE_FACTOR))
        if nodes:  # ignore a response without any nodes, which is implausible
            self.put(nodes, began)

    def stop(self) -> None:
        """End `run`. Callers that are still waiting are never called back."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _pause(self) -> bool:
        with self._changed:
            self._changed.wait_for(self._is_followed)
            while not self._stopped and (left := self._next - self._clock()) > 0:
                self._changed.wait(left)
            return not self._stopped

    def _is_followed(self) -> bool:
        return self._stopped or bool(self._waiters) or any(map(is_coming, self._nodes.values()))

    def _is_over(self, waiter: _Waiter) -> bool:
        """Return whether the last reading releases the waiter.

        Only a reading that began after the waiter arrived counts, because an older one may not show the waiter's job.
        """
        if self._began < waiter.since:
            return False
        nodes = [self._nodes[name] for name in waiter.nodes if name in self._nodes]
        return all(map(has_registered, nodes)) or not all(has_registered(node) or is_awaited(node) for node in nodes)

    def _tell(self, addresses: Mapping[str, str], off: Collection[str]) -> None:
        if (addresses, off) == self._published:
            return
        try:
            self._publish(addresses, off)
        except OSError as error:
            if not self._publish_fails:
                self._unpublished(error)
            self._publish_fails = True
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)
        else:
            self._published = addresses, off
            self._publish_fails = False


def _parted(waiters: Sequence[_Waiter], chosen: Callable[[_Waiter], bool]) -> tuple[list[_Waiter], list[_Waiter]]:
    parts: tuple[list[_Waiter], list[_Waiter]] = ([], [])
    for waiter in waiters:
        parts[not chosen(waiter)].append(waiter)
    return parts
