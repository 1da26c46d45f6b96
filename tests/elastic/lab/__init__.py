"""Real Slurm daemons on hosts made of namespaces: a head and nodes, as many as a test needs."""

import os
import secrets
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from hpc_components.boot.archive import programs
from hpc_components.rehearse.cluster.daemons import start_munge
from hpc_components.rehearse.cluster.local_cloud import BOOT_SECONDS
from hpc_components.rehearse.hosts import host as hosts
from tests.namespaces import namespaces

HERE = Path(__file__).parent
DEBIAN_13 = HERE.parents[2] / "build/rfs/trixie-slurm"
"""Root file system with Slurm 24.11 (`make test` makes it)."""
NEEDED = ("slurmctld", "slurmd", "munged", "unshare", "nsenter", "ip")
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
NETWORK, HEAD = IPv4Network("10.77.0.0/16"), IPv4Address("10.77.0.2")

SLURM_CONF = """\
ClusterName=lab
SlurmctldHost=head(10.77.0.2)
SlurmUser=slurm
AuthType=auth/munge
AuthInfo=cred_expire=10
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmctldParameters=enable_configless,idle_on_node_suspend,power_save_interval=1,power_save_min_interval=0{registered}
SlurmdParameters=config_overrides
PrivateData=cloud
ReturnToService=1
TreeWidth=65533
JobRequeue=1
KillWait={kill_wait}
ResumeProgram=/opt/hpc/bin/hpc-resume
SuspendProgram=/opt/hpc/bin/hpc-suspend
ResumeFailProgram=/opt/hpc/bin/hpc-resume-fail
PrologSlurmctld=/opt/hpc/bin/hpc-prolog
SchedulerParameters=sched_interval=10,sbatch_wait_nodes,salloc_wait_nodes
ResumeTimeout=600
SuspendTimeout=2
SuspendTime=3600
ResumeRate=0
SuspendRate=0
SlurmdTimeout=60
MpiDefault=none
{nodes}
"""


def missing(root: Path) -> str:
    """What this machine lacks for the lab; empty if nothing."""
    if os.geteuid() != 0:
        return "needs root"
    lacking = [program for program in NEEDED if shutil.which(program, path=_ENVIRONMENT["PATH"]) is None]
    if lacking:
        return f"not installed: {', '.join(lacking)}"
    if not Path("/sys/fs/cgroup/systemd").is_dir():
        return "needs control groups of version 1"
    return "" if root.is_dir() else f"no root file system {root}; tools/root_fs.sh makes it"


class Host:
    """A machine with its own processes, files and address."""

    def __init__(self, made: hosts.Host, shared: Path, started: list[subprocess.Popen]) -> None:
        self.name = made.name
        self.shared = shared
        self._started = started
        self.enter = ["nsenter", "-t", str(made.pid), "-m", "-u", "-i", "-n", "-p", "-T", "-r", "-w"]

    def run(self, *command: str | Path, check: bool = True, user: str = "", **environment: str) -> str:
        """Run to its end; what it wrote to stdout."""
        who = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
        result = subprocess.run(
            [*self.enter, *who, *command], env=_ENVIRONMENT | environment, text=True, timeout=120, capture_output=True
        )
        assert not check or result.returncode == 0, f"{self.name}: {command}: {result.stderr or result.stdout}"
        return result.stdout

    def write(self, path: str, text: str, *, mode: str = "644") -> None:
        """Make a file."""
        script = 'mkdir -p "$(dirname "$0")"; printf %s "$TEXT" >"$0"; chmod "$1" "$0"'
        self.run("sh", "-c", script, path, mode, TEXT=text)

    def spawn(self, *command: str, user: str = "", **environment: str) -> subprocess.Popen:
        """Start and leave running; what it writes goes to the shared file <host>.<program>.log."""
        who = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []
        log = self.shared / f"{self.name}.{Path(command[0]).name}.log"
        with log.open("ab") as out:
            process = subprocess.Popen(
                [*self.enter, *who, *command], env=_ENVIRONMENT | environment, stdout=out, stderr=out
            )
        self._started.append(process)
        return process


class Lab:
    """A network and hosts on it; all ends when `close` is called or this process dies."""

    def __init__(self, directory: Path, lower: Path) -> None:
        self.shared = directory / "shared"
        self.shared.mkdir()
        self.shared.chmod(0o1777)
        self._key = secrets.token_bytes(128)
        self._started: list[subprocess.Popen] = []
        self._one_at_a_time = threading.Lock()
        self._stack = ExitStack()
        inside = self._stack.enter_context(namespaces())
        self._site = hosts.Site(network=NETWORK, lower=lower, cgroup="", names={"head": HEAD}, inside=inside)
        self._site.open()

    def host(self, name: str, address: str) -> Host:
        """A new machine. Only `head` is known by name to the others. From any thread."""
        seen = {path: Path(path) for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/systemd")}  # is all that slurmd wants
        binds = {"/shared": self.shared, **seen}
        with self._one_at_a_time:
            made = self._site.boot(name, IPv4Address(address), binds=binds)
            start_munge(made, self._key)
            made.run("install", "-d", "-o", "slurm", "/var/spool/slurmctld", "/var/spool/slurmd", "/run/slurm")
        return Host(made, self.shared, self._started)

    def kill(self, name: str) -> None:
        """End a machine, with all that runs on it."""
        self._site.hosts[name].kill()

    def close(self) -> None:
        """End all that runs in it."""
        for host in list(self._site.hosts.values()):
            host.kill()
        for process in self._started:
            process.wait(timeout=60)
        self._stack.close()


class Cluster:
    """slurmctld on `head`, and nodes that can be started."""

    def __init__(self, lab: Lab, nodes: str, *, kill_wait: int = 5) -> None:
        self.lab = lab
        self.head = lab.host("head", str(HEAD))
        self.nodes: dict[str, Host] = {}
        self.version = self.head.run("slurmctld", "-V").split()[1]
        registered = ",cloud_reg_addrs" if self.version < "23" else ""  # 22.05 does it only if told so
        text = SLURM_CONF.format(nodes=nodes, registered=registered, kill_wait=kill_wait)
        self.head.write("/etc/slurm/slurm.conf", text)
        for name, program in programs().items():
            self.head.write(f"/opt/hpc/bin/{name}", program, mode="755")
        self.start_controller()

    def start_controller(self) -> None:
        """Start slurmctld and wait until it answers."""
        self.controller = self.head.spawn("slurmctld", "-D", user="slurm")
        wait(lambda: "UP" in self.head.run("scontrol", "ping", check=False))

    def stop_controller(self) -> None:
        """Kill slurmctld."""
        end(self.controller, signal.SIGKILL)

    def wish_for(self, nodes: str, last: str) -> None:
        """Let slurmctld power `nodes` up, of which one is `last`, and wait until their machines may boot."""
        self.head.run("scontrol", "update", f"nodename={nodes}", "state=power_up")
        wait(lambda: "POWERING_UP" in self.state(last))
        time.sleep(BOOT_SECONDS)

    def start_node(self, name: str, number: int) -> Host:
        """Boot a machine that registers as node `name`."""
        host = self.nodes[name] = self.lab.host(name, f"10.77.1.{number}")
        host.spawn("slurmd", "-D", "--conf-server", "head:6817", "-N", name)
        return host

    def state(self, node: str) -> str:
        """As `scontrol show node` says it."""
        line = self.head.run("scontrol", "show", "node", node, "-o")
        return line.partition(" State=")[2].split()[0]


def end(process: subprocess.Popen, number: int) -> int:
    """Send a signal to what `Host.spawn` started; its exit code."""
    os.kill(hosts.first_child(process.pid), number)
    return process.wait(timeout=30)


def wait(condition: Callable[[], object], seconds: float = 180.0) -> None:
    """Until the condition holds; AssertionError if it never does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not so after {seconds} s"
        time.sleep(0.05)
