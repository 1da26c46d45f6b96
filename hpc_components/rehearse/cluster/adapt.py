import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from hpc_components.rehearse.result import Change
from hpc_components.slurm.health import IDLE_PROGRAM

CLOUD_SOCKET = "/run/hpc-cloud/socket"

_OVERCOMMIT = "nodes advertise more CPUs and memory than this machine has"
_SHORTER_TIMES = "a rehearsal uses shorter times"


@dataclass(frozen=True, kw_only=True)
class Times:
    """Times that are shorter than on a real cluster, in seconds."""

    idle: int = 5
    """Slurm's `SuspendTime`: how long a node is idle before Slurm powers it down."""
    stop: int = 3
    """Slurm's `SuspendTimeout`: time from powering a node down until Slurm can power it up again."""
    boot: int = 60
    """Maximum time from launch to registration. A machine usually takes a few seconds, or longer if many machines
    boot at the same time."""
    cooldown: int = 20
    """Time to wait before retrying a pool that had no capacity."""


def adapt(files: Mapping[str, str], *, times: Times, cgroups: bool) -> tuple[dict[str, str], tuple[Change, ...]]:
    """Return the adapted files and a list of changes.

    `cgroups` is true if each host has its own cgroups.
    """
    result, changes = dict(files), []
    texts = {name: _Text(text) for name, text in files.items() if name.endswith(".conf")}
    _shorten(texts["slurm.conf"], times)
    _overcommit(texts)
    _leave_out_health_checks(texts["slurm.conf"])
    _set_cgroups(texts, cgroups)
    if "slurmdbd.conf" in texts:
        _use_local_database(texts["slurmdbd.conf"])
    for name, text in texts.items():
        result[name], found = text.result(name)
        changes += found
    result["elastic.json"], found = _adapt_elastic(files["elastic.json"], times)
    return result, (*changes, *found)


def _shorten(slurm: "_Text", times: Times) -> None:
    slurm.join("SlurmctldParameters", "power_save_interval=1", _SHORTER_TIMES)
    slurm.join("SlurmctldParameters", "power_save_min_interval=0", _SHORTER_TIMES)
    for interval in ("sched_interval=2", "bf_interval=2"):
        slurm.join("SchedulerParameters", interval, "otherwise, a requeued job would be considered only every 10 s")
    slurm.join(
        "AuthInfo",
        "cred_expire=10",
        "a requeued job waits until its credential expires, which takes 120 s by default",
    )
    slurm.set("SuspendTime", str(times.idle), _SHORTER_TIMES)
    slurm.set("SuspendTimeout", str(times.stop), _SHORTER_TIMES)
    slurm.set("ResumeTimeout", str(3 * times.boot), _SHORTER_TIMES)
    slurm.replace(r"(?<=\bSuspendTime=)[1-9]\S*", str(times.idle), _SHORTER_TIMES, within="PartitionName=")


def _overcommit(texts: Mapping[str, "_Text"]) -> None:
    texts["slurm.conf"].join("SlurmdParameters", "config_overrides", _OVERCOMMIT)
    texts["slurm.conf"].drop_from("TaskPlugin", "task/affinity", _OVERCOMMIT)
    if "cgroup.conf" in texts:
        texts["cgroup.conf"].set("ConstrainCores", "no", _OVERCOMMIT)
    if "gres.conf" in texts:
        why = "this machine has no GPU driver, and the GPU device files are dummies"
        texts["gres.conf"].replace(r"AutoDetect=(?!off\b)\S+ ?", "", why, within="")


def _leave_out_health_checks(slurm: "_Text") -> None:
    """The checks before and after jobs leave themselves out, because hosts lack their program."""
    if slurm.value("HealthCheckProgram") == IDLE_PROGRAM:
        for key in ("HealthCheckProgram", "HealthCheckInterval", "HealthCheckNodeState"):
            slurm.drop(key, "health checks read hardware, which the nodes of a rehearsal do not have")


def _set_cgroups(texts: Mapping[str, "_Text"], cgroups: bool) -> None:
    if cgroups:
        why = "the hosts' cgroups use this machine's cgroup v1 controllers"
        texts["cgroup.conf"].set("CgroupPlugin", "cgroup/v1", why)
        return
    why = "this machine has no cgroup v1 controllers for the hosts' cgroups"
    slurm = texts["slurm.conf"]
    slurm.set("ProctrackType", "proctrack/linuxproc", why)
    slurm.set("TaskPlugin", "task/none", why)
    slurm.set("JobAcctGatherType", "jobacct_gather/linux", why)
    slurm.drop("PrologFlags", why)


def _use_local_database(accounting: "_Text") -> None:
    why = "a rehearsal uses a MariaDB database on its head node"
    for key, here in (("StorageHost", "localhost"), ("StorageUser", "slurm"), ("StorageLoc", "slurm_acct_db")):
        accounting.set(key, here, why)
    for key in ("StoragePort", "StoragePass"):
        accounting.drop(key, why)


def _adapt_elastic(text: str, times: Times) -> tuple[str, list[Change]]:
    document = json.loads(text)
    here = {"cloud": "local", "socket": CLOUD_SOCKET, "boot_timeout": times.boot, "cooldown": times.cooldown}
    changes = [
        Change(
            file="elastic.json",
            before=f"{json.dumps(key)}: {json.dumps(document[key])}" if key in document else "",
            after=f"{json.dumps(key)}: {json.dumps(value)}",
            why=_SHORTER_TIMES if key in ("boot_timeout", "cooldown") else "machines come from the local cloud",
        )
        for key, value in here.items()
        if document.get(key) != value
    ]
    return json.dumps(document | here, indent=1) + "\n", changes


@dataclass
class _Line:
    before: str
    """The generated line, or empty if this line was added."""
    after: str
    """The adapted line, or empty if this line was removed."""
    reasons: tuple[str, ...] = ()

    def change(self, after: str, why: str) -> None:
        if after != self.after:
            self.after = after
            self.reasons = tuple(dict.fromkeys([*self.reasons, why]))


class _Text:
    """A file of `Key=value` lines. Changes are listed only for lines whose final text differs from the original."""

    def __init__(self, text: str) -> None:
        self._lines = [_Line(line, line) for line in text.splitlines()]

    def result(self, name: str) -> tuple[str, list[Change]]:
        text = "".join(f"{line.after}\n" for line in self._lines if line.after or not line.before)
        changed = [line for line in self._lines if line.reasons and line.before != line.after]
        return text, [
            Change(file=name, before=line.before, after=line.after, why="; ".join(line.reasons)) for line in changed
        ]

    def set(self, key: str, value: str, why: str) -> None:
        """Set the value of a key that may appear only once in the file."""
        self._line(key).change(f"{key}={value}", why)

    def drop(self, key: str, why: str) -> None:
        if self.value(key):
            self._line(key).change("", why)

    def join(self, key: str, item: str, why: str) -> None:
        """Add `item` to the comma-separated values of `key`, replacing any value for the same option."""
        name = item.partition("=")[0]
        others = [value for value in self.values(key) if value.partition("=")[0] != name]
        if item not in self.values(key):
            self.set(key, ",".join([*others, item]), why)

    def drop_from(self, key: str, item: str, why: str) -> None:
        if item in self.values(key):
            others = [value for value in self.values(key) if value != item]
            self.set(key, ",".join(others), why) if others else self.drop(key, why)

    def replace(self, pattern: str, value: str, why: str, *, within: str) -> None:
        for line in self._lines:
            if line.after.startswith(within):
                line.change(re.sub(pattern, value, line.after), why)

    def value(self, key: str) -> str:
        found = next((line.after for line in self._lines if line.after.startswith(f"{key}=")), "")
        return found.partition("=")[2]

    def values(self, key: str) -> list[str]:
        return [value for value in self.value(key).split(",") if value]

    def _line(self, key: str) -> _Line:
        for line in self._lines:
            if line.after.startswith(f"{key}="):
                return line
        self._lines.append(_Line("", ""))
        return self._lines[-1]
