"""A cloud on this machine, behind the elastic daemon's local driver: its machines boot, fail and are taken away."""

import socket
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from hpc_components.elastic.drivers.local import answer
from hpc_components.elastic.model import CapacityError, Instance, InstanceState, Launch, Pool

__all__ = ["LocalCloud", "Moment", "Provider", "serve"]

Moment = Literal["asked", "acted", "answered"]
"""A point in the life of a launch call: before the cloud does it, before it answers, after it has answered."""

FORGOTTEN = 120.0
"""Seconds after which a machine that is gone is listed no more; EC2 takes up to an hour."""

BOOT = 2.0
"""Seconds from the call to the first process of a machine.

Less is too short: slurmctld takes no machine that seems to have booted before it was wished for, and knows when that
was to two seconds. The kernel rounds uptimes up, and those here begin with a fraction of a second.
"""


@dataclass(frozen=True, kw_only=True)
class Provider:
    """What a machine of this cloud is made of."""

    boot: Callable[[Instance], None]
    """Start its host and all that a node runs."""
    halt: Callable[[Instance], None]
    """Take its power away, whether it runs or not."""
    tell: Callable[[str, str], None]
    """Hears of all that happens: the node's name, and a line for a person."""


@dataclass
class _Limit:
    machines: int
    refusals: int | None
    """After how many it is lifted; None: never."""


class LocalCloud:
    """The other end of the elastic daemon's driver; a `Driver` itself. Its faults are its methods."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._lock = threading.RLock()
        self._machines: dict[str, Instance] = {}
        self._launches: dict[str, tuple[str, ...]] = {}
        self._ended: dict[str, float] = {}
        self._limits: dict[Pool, _Limit] = {}
        self._duds = 0
        self.spoiled: list[str] = []
        """Ids of machines that never boot."""
        self.lag = 0.0
        """Seconds until a new machine is listed, as clouds have them."""
        self.boots = threading.Event()
        """While it is not set, machines are pending and do not boot."""
        self.boots.set()

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """As in `Driver`."""
        with self._lock:
            if launch.token not in self._launches:
                self._launches[launch.token] = self._make(launch)
            return [self._machines[id] for id in self._launches[launch.token]]

    def terminate(self, ids: Collection[str]) -> None:
        """As in `Driver`."""
        for id in ids:
            self._end(id, "machine {} is ended")

    def list(self) -> Sequence[Instance]:
        """As in `Driver`."""
        with self._lock:
            now = time.time()
            ended = {id for id, end in self._ended.items() if end < now - FORGOTTEN}
            return [m for id, m in self._machines.items() if id not in ended and m.launched <= now - self.lag]

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """As in `Driver`."""
        with self._lock:
            return [each for each in self._machines.values() if each.id in ids or each.token in tokens]

    def limit(self, pool: Pool, machines: int, *, refusals: int | None = None) -> None:
        """From now on `pool` has no more than so many machines; after so many refusals it has enough again."""
        with self._lock:
            self._limits[pool] = _Limit(machines, refusals)

    def spoil(self, machines: int) -> None:
        """So many of the machines that are launched next never boot."""
        with self._lock:
            self._duds = machines

    def lose(self, id: str) -> None:
        """A machine dies without notice."""
        self._end(id, "machine {} dies")

    def alive(self, node: str = "") -> Sequence[Instance]:
        """Machines that cost money, all or those of one node."""
        with self._lock:
            return [m for m in self._machines.values() if m.alive and node in ("", m.node)]

    def made(self) -> Sequence[Instance]:
        """Machines that were ever made."""
        with self._lock:
            return [*self._machines.values()]

    def _make(self, launch: Launch) -> tuple[str, ...]:
        number = self._available(launch)
        if number < max(launch.minimum, 1):
            self._provider.tell("", f"no capacity: {launch.pool}")
            raise CapacityError(f"there is not enough of {launch.pool} now")
        made = []
        for node in launch.nodes[:number]:
            machine = Instance(
                id=f"i-{len(self._machines) + 1:04d}",
                node=node,
                token=launch.token,
                pool=launch.pool,
                state=InstanceState.PENDING,
                launched=time.time(),
            )
            self._machines[machine.id] = machine
            made.append(machine.id)
            self._provider.tell(node, f"machine {machine.id} is launched for {node}: {launch.pool}")
            if self._duds:
                self._duds -= 1
                self.spoiled.append(machine.id)
                self._provider.tell(node, f"machine {machine.id} will never boot")
            else:
                threading.Thread(target=self._boot, args=(machine,), daemon=True).start()
        return tuple(made)

    def _available(self, launch: Launch) -> int:
        """How many of the machines asked for there are."""
        limit = self._limits.get(launch.pool)
        if limit is None:
            return len(launch.nodes)
        number = min(len(launch.nodes), limit.machines - sum(each.pool == launch.pool for each in self.alive()))
        if number < len(launch.nodes) and limit.refusals is not None:
            limit.refusals -= 1
            if limit.refusals == 0:
                del self._limits[launch.pool]
        return number

    def _boot(self, machine: Instance) -> None:
        time.sleep(BOOT)
        self.boots.wait()
        if not self._turn(machine.id, InstanceState.RUNNING):
            return
        try:
            self._provider.boot(machine)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            if self._machines[machine.id].alive:
                self._provider.tell(machine.node, f"machine {machine.id} does not boot: {error}")
        if not self._machines[machine.id].alive:  # ended while it booted
            self._provider.halt(machine)

    def _end(self, id: str, words: str) -> None:
        if not self._turn(id, InstanceState.GONE):
            return
        self._ended[id] = time.time()
        machine = self._machines[id]
        self._provider.tell(machine.node, words.format(id))
        self._provider.halt(machine)

    def _turn(self, id: str, state: InstanceState) -> bool:
        """Bring a machine into another state, if there is one that is alive."""
        with self._lock:
            machine = self._machines.get(id)
            if machine is None or not machine.alive:
                return False
            self._machines[id] = replace(machine, state=state)
            return True


def serve(cloud: LocalCloud, path: Path, watch: Callable[[Moment], bool] = lambda moment: True) -> None:
    """Answer the local driver at the unix socket `path` for ever, in threads of its own.

    `watch` is called at each moment of a launch call; if it returns False, the call goes no further.
    """
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    path.chmod(0o666)
    listener.listen()

    def take_calls() -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_answer, args=(cloud, connection, watch), daemon=True).start()

    threading.Thread(target=take_calls, daemon=True).start()


def _answer(cloud: LocalCloud, connection: socket.socket, watch: Callable[[Moment], bool]) -> None:
    with connection, connection.makefile("rb") as lines, suppress(ConnectionError):  # who asked may be killed
        request = lines.readline()
        launches = b'"launch"' in request
        if launches and not watch("asked"):
            return
        reply = answer(cloud, request)
        if launches and not watch("acted"):
            return
        connection.sendall(reply)
        if launches:
            watch("answered")
