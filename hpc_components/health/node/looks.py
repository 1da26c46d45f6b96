"""Runs the checks of a moment, and decides which failures count."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from hpc_components.health.node import fabric, gpus, storage, system
from hpc_components.health.node.commands import NoAnswerError
from hpc_components.health.node.history import History
from hpc_components.health.node.machine import Machine
from hpc_components.health.node.verdict import WELL, Level, Verdict, doubtful, failed
from hpc_components.health.node.wanted import Wanted

PROLOG_SECONDS = 2.0
"""Maximum time for which a check before or after a job waits for an answer."""
LOOKS = 3
"""Looks in a row at an idle node at which a check must be doubtful to count as failed."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """One run of the checks."""

    moment: str
    wanted: Wanted
    now: float
    """Seconds since the epoch."""
    machine: Machine = field(default_factory=Machine)
    history: History = field(default_factory=History)

    def limit(self, check: str, name: str) -> int:
        return self.wanted.limits[check][name]

    def patience(self, check: str) -> float:
        """Return for how many seconds the check waits for an answer."""
        given = self.limit(check, "seconds")
        return min(given, PROLOG_SECONDS) if self.moment in ("prolog", "epilog") else given


def run_checks(look: Look) -> dict[str, Verdict]:
    """Return the verdict of each check of the moment that applies to the node.

    On an idle node, what is doubtful for several looks in a row has failed. At boot, a part of the machine that does
    not answer has failed at once, but a server has not. Before and after a job, a doubt never counts.
    """
    return {name: _settled(look, name, CHECKS[name](look)) for name in look.wanted.at(look.moment)}


def failures(verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """Yield `<check>: <what>` for each failed check."""
    return (f"{name}: {one.what}" for name, one in verdicts.items() if one.level is Level.FAILED)


def _settled(look: Look, name: str, found: Verdict) -> Verdict:
    unsure = found.level is Level.DOUBTFUL
    if look.moment == "boot" and unsure and name not in ON_SERVERS:
        return failed(found.what)
    if look.moment == "idle":
        times = look.history.doubt(name, unsure)
        if unsure and times >= LOOKS:
            return failed(f"{found.what}, {times} times in a row")
    return found


def _gpus(look: Look) -> Verdict:
    return gpus.judge_count(gpus.count_gpus(look.machine), look.wanted.gpus)


def _xid(look: Look) -> Verdict:
    return gpus.judge_log(look.machine.kernel_log(), look.wanted.xids)


def _gpu_memory(look: Look) -> Verdict:
    most = look.limit("gpu_memory", "uncorrectable")
    return gpus.judge_memory(gpus.read_memory(look.patience("gpu_memory")), most)


def _dcgm(look: Look) -> Verdict:
    return gpus.check_dcgm(look.moment, look.patience("dcgm"))


def _fabric(look: Look) -> Verdict:
    ports = look.wanted.ports
    return fabric.judge_ports(fabric.read_ports(look.machine), ports) if ports else WELL


def _fabric_flaps(look: Look) -> Verdict:
    wanted, ports = look.wanted.ports, fabric.read_ports(look.machine)
    counters = {port.name: port.downs for port in ports if port.downs is not None}
    grown = look.history.grown(counters, look.now, look.limit("fabric_flaps", "seconds"))
    return fabric.judge_flaps(ports, grown, look.limit("fabric_flaps", "times"), wanted) if wanted else WELL


def _disk(look: Look) -> Verdict:
    free = storage.free_mib(str(look.machine.root))
    return storage.judge_disk(storage.read_mounts(look.machine), free, look.limit("disk", "free_mib"))


def _scratch(look: Look) -> Verdict:
    return storage.judge_scratch(storage.read_mounts(look.machine), look.wanted.scratch)


def _nvme(look: Look) -> Verdict:
    warnings = storage.read_nvme(look.machine, look.patience("nvme"))
    return storage.judge_nvme(warnings, look.limit("nvme", "critical"))


def _memory(look: Look) -> Verdict:
    here, percent = system.memory_mib(look.machine), look.limit("memory", "percent")
    return system.judge_memory_size(here, look.wanted.memory_mib, percent)


def _memory_errors(look: Look) -> Verdict:
    errors = system.uncorrectable_errors(look.machine)
    return system.judge_memory_errors(errors, look.limit("memory_errors", "uncorrectable"))


def _mounts(look: Look) -> Verdict:
    directories, mounts = storage.shared_directories(look.machine), storage.read_mounts(look.machine)
    answers = storage.ask_shared(look.machine, directories, mounts, look.patience("mounts"))
    return storage.judge_shared(directories, mounts, answers)


def _clock(look: Look) -> Verdict:
    return system.judge_clock(system.clock_offset(PROLOG_SECONDS), look.limit("clock", "seconds"))


def _bounded(check: Callable[[Look], Verdict]) -> Callable[[Look], Verdict]:
    """Return the check, which is doubtful if something does not answer in time."""

    def bounded(look: Look) -> Verdict:
        try:
            return check(look)
        except NoAnswerError as error:
            return doubtful(str(error))

    return bounded


CHECKS: Mapping[str, Callable[[Look], Verdict]] = {
    name: _bounded(check)
    for name, check in {
        "gpus": _gpus,
        "xid": _xid,
        "gpu_memory": _gpu_memory,
        "dcgm": _dcgm,
        "fabric": _fabric,
        "fabric_flaps": _fabric_flaps,
        "disk": _disk,
        "scratch": _scratch,
        "nvme": _nvme,
        "memory": _memory,
        "memory_errors": _memory_errors,
        "mounts": _mounts,
        "clock": _clock,
    }.items()
}
"""All checks by name, in the order in which they run."""

ON_SERVERS = frozenset({"mounts", "clock"})
"""Checks whose answers come from other machines."""
