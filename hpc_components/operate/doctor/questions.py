"""The commands that `hpc doctor` runs on nodes. They only read, each has a time limit, and none waits for a file
system that hangs.
"""

import shlex
from collections.abc import Mapping, Sequence

from hpc_components.operate import slurm_view

Commands = Mapping[str, Sequence[str]]

STATE = "/var/lib/hpc"
"""Where the state volume is mounted."""

_SECONDS = 20

_UNITS = (
    "munge", "mariadb", "slurmdbd", "slurmctld", "slurmd", "hpc-elastic", "hpc-watch", "hpc-name-server", "hpc-names",
    "hpc-people", "hpc-metadata", "hpc-data", "hpc-update.timer", "chrony", "chronyd",
)  # fmt: skip

_PROPERTIES = "Id,LoadState,ActiveState,SubState,Result,UnitFileState,ConditionResult,ConditionTimestamp"

_PING = 'said=$(timeout 20 scontrol ping 2>&1); echo "$said"; case $said in *" is UP"*) ;; *) exit 1 ;; esac'
"""Releases of Slurm differ in the exit code of `scontrol ping`."""

_MUNGE = "timeout 10 munge -n | timeout 10 unmunge"

_LAST_ERRORS = """\
for unit in {units}; do
  journalctl -q -o cat --no-pager -n 20 "_SYSTEMD_UNIT=$unit.service" |
    grep -Ei 'error|fatal|fail' | tail -n 1 | sed "s|^|$unit |"
done
"""
"""systemd's own messages are left out: they say that a unit failed, not why."""

_CONTROLLER_LOG = r"tail -n 2000 /var/log/slurm/slurmctld.log | grep -E '\] (error|fatal):' | tail -n 200"

_SHARED = """\
sed -n '/^# hpc begin shared$/,/^# hpc end shared$/p' /etc/fstab | while read -r from directory rest; do
  case $from in '#'*|'') continue ;; esac
  if ! grep -q " $directory " /proc/self/mounts; then echo "gone - $directory $from"
  elif room=$(timeout -k 1 5 stat -f -c '%a/%b' "$directory" 2>/dev/null); then echo "fine $room $directory $from"
  else echo "silent - $directory $from"
  fi
done
"""

_NAMES = """\
for node in $(sinfo -h -N -t idle,alloc,mix -o '%N %T' | grep -v '[~#%!*$@]' | cut -d ' ' -f 1 | sort -u | head -n 3)
do timeout 5 getent hosts "$node" >/dev/null || echo "$node"
done
"""
"""Names of a few nodes that are up and do not resolve."""


def _shell(script: str) -> Sequence[str]:
    return ("sh", "-c", script)


def _as_root(*command: str) -> Sequence[str]:
    return ("sudo", "-n", "timeout", "-k", "2", str(_SECONDS), *command)


def _limited(*command: str) -> Sequence[str]:
    return ("timeout", "-k", "2", str(_SECONDS), *command)


_MACHINE: Commands = {
    "time": ("date", "+%s %Y-%m-%dT%H:%M:%S"),
    "space": _limited("df", "--local", "--portability", "--block-size=1024"),
    "inodes": _limited("df", "--local", "--portability", "--inodes"),
    "mounted": ("cat", "/proc/self/mounts"),
    "fstab": ("cat", "/etc/fstab"),
    "shared": _shell(_SHARED),
    "units": _limited("systemctl", "show", "--no-pager", f"--property={_PROPERTIES}", *_UNITS),
    "synchronized": _limited("timedatectl", "show", "--property=NTPSynchronized", "--value"),
    "munge": _shell(_MUNGE),
    "boot": ("cat", "/opt/hpc/boot-steps.json"),
    "said": _as_root("sh", "-c", _LAST_ERRORS.format(units=" ".join(_UNITS))),
    "killed": _as_root(
        "journalctl", "-q", "-k", "--no-pager", "-o", "short-iso", "--since=-24h", "--grep=Out of memory: Killed"
    ),
}  # fmt: skip
"""Questions to any node. Source of the kernel's message: mm/oom_kill.c."""

HEAD: Commands = {
    **_MACHINE,
    "munge_keys": _as_root("sha256sum", "/etc/munge/munge.key", f"{STATE}/keys/munge"),
    "accounting": ("grep", "-i", "^AccountingStorageType=accounting_storage/slurmdbd", "/etc/slurm/slurm.conf"),
    "accounts": _limited("sacctmgr", "-n", "list", "cluster"),
    "controller_log": _as_root("sh", "-c", _CONTROLLER_LOG),
    "ping": _shell(_PING),
    "partitions": _limited("sinfo", "--all", "--noheader", "--format=%R|%a"),
    "nodes": _limited(*slurm_view.NODES),
    "jobs": _limited(*slurm_view.JOBS),
    "names": _limited(*_shell(_NAMES)),
    "elastic": _as_root("/opt/hpc/bin/hpc-elastic", "status", "--format", "json"),
    "check": ("sudo", "-n", "-u", "slurm", "timeout", "60", "/opt/hpc/bin/hpc-elastic", "check"),
}
"""Questions to the head node."""

NEEDS = dict.fromkeys(("partitions", "nodes", "jobs", "names", "check"), "ping")
"""Questions that take 9 s each if slurmctld does not answer (seen on 22.05 and 24.11)."""

NODE: Commands = {**_MACHINE, "server": ("getent", "hosts", "head")}
"""Questions to a compute node or a login node."""


def about_node(node: str) -> Commands:
    """Return the questions to the head node about another node, whose name is plain.

    The credential that the head node makes shows whether munge's keys and the clocks agree.
    """
    hop = "ssh -o BatchMode=yes -o ConnectTimeout=20"
    return {
        "record": _limited("scontrol", "-o", "show", "node", node),
        "credential": _shell(f"timeout 10 munge -n | timeout 60 {hop} {shlex.quote(node)} unmunge"),
    }
