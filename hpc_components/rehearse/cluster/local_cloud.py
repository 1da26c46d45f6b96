import socket
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from hpc_components.elastic.drivers.contract import CapacityError
from hpc_components.elastic.drivers.local.driver import answer
from hpc_components.elastic.model import Instance, InstanceState, Launch, Pool
from hpc_components.rehearse.events import Code

LaunchPhase = Literal["requested", "launched", "answered"]
"""Phase of a launch call: received, executed but not yet answered, or answered."""

GONE_LISTED_SECONDS = 120.0
"""Seconds for which a terminated machine is still listed. Real clouds may list terminated machines for longer."""

BOOT_SECONDS = 2.0
"""Seconds from a launch call to the machine's first process.

With a shorter delay, a machine could appear to have booted before Slurm requested it, and slurmctld would reject the
machine. The reason is that slurmctld's request times are accurate only to two seconds, and the kernel rounds uptime
up.
"""


class Report(Protocol):
    """A function that receives the cloud's events."""

    def __call__(self, code: Code, words: str, *, node: str = "", pool: str = "") -> object:
        """Record an event, like `EventLog.record`."""


@dataclass(frozen=True, kw_only=True)
class Hypervisor:
    boot: Callable[[Instance], None]
    """Boots the machine's host and starts all services of a node."""
    power_off: Callable[[Instance], None]
    """Powers off the machine, even if it is still booting."""
    report: Report


@dataclass
class _Limit:
    machines: int
    refusals: int | None
    """Number of refusals before the limit is lifted, or None if the limit is permanent."""


class LocalCloud:
    """The cloud behind the elastic daemon's local driver. The class implements `Driver`."""

    def __init__(self, hypervisor: Hypervisor) -> None:
        self._hypervisor, self._report = hypervisor, hypervisor.report
        self._lock = threading.RLock()
        self._machines: dict[str, Instance] = {}
        self._launches: dict[str, tuple[str, ...]] = {}
        self._limits: dict[Pool, _Limit] = {}
        self._failing_boots = 0
        self.failed_boots: list[str] = []
        """Ids of machines that were prevented from booting."""
        self.list_lag = 0.0
        """Seconds until a new machine is listed, to simulate the lag of real clouds' listings."""
        self.may_boot = threading.Event()
        """Event that lets machines boot. Until this event is set, machines stay pending."""
        self.may_boot.set()

    def launch(self, launch: Launch) -> Sequence[Instance]:
        with self._lock:
            if launch.token not in self._launches:
                self._launches[launch.token] = self._make(launch)
            return [self._machines[id] for id in self._launches[launch.token]]

    def terminate(self, ids: Collection[str]) -> None:
        for id in ids:
            self._end(id, Code.TERMINATED, f"machine {id} is terminated")

    def list(self) -> Sequence[Instance]:
        with self._lock:
            now = time.time()
            listed = (m for m in self._machines.values() if m.launched <= now - self.list_lag)
            return [m for m in listed if m.ended is None or m.ended >= now - GONE_LISTED_SECONDS]

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        with self._lock:
            return [each for each in self._machines.values() if each.id in ids or each.token in tokens]

    def limit(self, pool: Pool, machines: int, *, refusals: int | None = None) -> None:
        """Limit a pool to this many machines. Lift the limit after `refusals` refusals, if specified."""
        with self._lock:
            self._limits[pool] = _Limit(machines, refusals)

    def fail_boots(self, machines: int) -> None:
        """Prevent the next machines that are launched from booting. `machines` specifies how many."""
        with self._lock:
            self._failing_boots = machines

    def kill(self, id: str, *, taken: bool = False) -> None:
        """End a machine. `taken` means that the cloud reclaims it."""
        self._end(id, Code.DIED, f"machine {id} dies", taken=taken)

    def alive(self, node: str = "") -> Sequence[Instance]:
        """Return the machines that a real cloud would currently charge for. If `node` is specified, return only that
        node's machines.
        """
        with self._lock:
            return [m for m in self._machines.values() if m.alive and node in ("", m.node)]

    def launched(self) -> Sequence[Instance]:
        with self._lock:
            return [*self._machines.values()]

    def _make(self, launch: Launch) -> tuple[str, ...]:
        number = self._available(launch)
        if number < max(launch.minimum, 1):
            self._report(Code.NO_CAPACITY, f"no capacity: {launch.pool}", pool=str(launch.pool))
            raise CapacityError(f"not enough machines available in {launch.pool}")
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
            words = f"machine {machine.id} is launched for {node}: {launch.pool}"
            self._report(Code.LAUNCHED, words, node=node, pool=str(launch.pool))
            if self._failing_boots:
                self._failing_boots -= 1
                self.failed_boots.append(machine.id)
                self._report(Code.WILL_NOT_BOOT, f"machine {machine.id} will never boot", node=node)
            else:
                threading.Thread(target=self._boot, args=(machine,), daemon=True).start()
        return tuple(made)

    def _available(self, launch: Launch) -> int:
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
        time.sleep(BOOT_SECONDS)
        self.may_boot.wait()
        if not self._set_state(machine.id, InstanceState.RUNNING):
            return
        try:
            self._hypervisor.boot(machine)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            if self._machines[machine.id].alive:
                words = f"machine {machine.id} failed to boot: {error}"
                self._report(Code.BOOT_FAILED, words, node=machine.node)
        if not self._machines[machine.id].alive:  # terminated while booting
            self._hypervisor.power_off(machine)

    def _end(self, id: str, code: Code, words: str, *, taken: bool = False) -> None:
        if not self._set_state(id, InstanceState.GONE, ended=time.time(), taken=taken):
            return
        machine = self._machines[id]
        self._report(code, words, node=machine.node)
        self._hypervisor.power_off(machine)

    def _set_state(self, id: str, state: InstanceState, **more: Any) -> bool:
        with self._lock:
            machine = self._machines.get(id)
            if machine is None or not machine.alive:
                return False
            self._machines[id] = replace(machine, state=state, **more)
            return True


def serve(cloud: LocalCloud, path: Path, on_launch: Callable[[LaunchPhase], bool] = lambda phase: True) -> None:
    """Serve the local driver's calls on the Unix socket `path`, in background threads, until the process ends.

    `on_launch` is called in each phase of a launch call. If it returns False, the call is abandoned.
    """
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    path.chmod(0o666)
    listener.listen()

    def take_calls() -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_answer, args=(cloud, connection, on_launch), daemon=True).start()

    threading.Thread(target=take_calls, daemon=True).start()


def _answer(cloud: LocalCloud, connection: socket.socket, on_launch: Callable[[LaunchPhase], bool]) -> None:
    with connection, connection.makefile("rb") as lines, suppress(ConnectionError):  # the caller may have been killed
        request = lines.readline()
        launches = b'"launch"' in request
        if launches and not on_launch("requested"):
            return
        reply = answer(cloud, request)
        if launches and not on_launch("launched"):
            return
        connection.sendall(reply)
        if launches:
            on_launch("answered")
