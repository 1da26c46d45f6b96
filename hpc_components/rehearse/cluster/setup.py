"""What a rehearsal starts from: the cluster's files for this machine, addresses, devices. Nothing is started here."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from itertools import count
from pathlib import Path

from hpc_components.boot.name_service import name_files
from hpc_components.elastic.names import node_name
from hpc_components.rehearse.cluster import name_service as names
from hpc_components.rehearse.cluster.adapt import Times, shrink
from hpc_components.rehearse.hosts.host import USER, Device
from hpc_components.rehearse.hosts.reaper import CGROUPS
from hpc_components.rehearse.result import Change
from hpc_components.slurm import slurm_files
from hpc_components.spec import Queue
from hpc_components.spec.addresses import head_address
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.slurm import Accounting

__all__ = ["CONTROLLERS", "PATIENT_RANKS", "PROFILE", "Setup", "prepare", "slurm_release"]

CONTROLLERS = ("freezer", "memory", "cpuset", "devices", "cpuacct")
"""Controllers of cgroup v1 without which Slurm's cgroup plugins do not start."""

PROFILE = Change(
    file="/etc/profile.d/rehearsal.sh",
    before="",
    after="export OMPI_MCA_mpi_yield_when_idle=1",
    why="there are more ranks than cores: who waits lets others go on",
)
"""What a login shell has here that it has not on the real cluster."""

PATIENT_RANKS = Change(
    file="/proc/self/timerslack_ns",
    before="50000",
    after="20000000",
    why="there are more ranks than cores: Open MPI's ranks that start or end sleep 0.1 ms and look again, here 20 ms",
)
"""What slurmd, and all that it starts, has here: how late the kernel may wake a sleeper, in nanoseconds (proc(5)).
With it 96 ranks on 2 cores begin and end in 4 s, without in 27 s: sleepers in Open MPI's loops (ompi/mca/rte/rte.h:
`OMPI_LAZY_WAIT_FOR_COMPLETION`) leave the cores to those that have work."""

NVIDIA = 195
"""Major number of NVIDIA's devices (Linux, admin-guide/devices.txt)."""

_FIRST_NODE = 64
"""The first elastic node's address, counted from the start of its subnet: behind all fixed ones."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A described cluster, made to the measure of this machine."""

    cluster: ClusterSpec
    """The description."""
    root: Path
    """Root file system with Slurm's packages in it."""
    release: str
    """Slurm release in there: `22.05.8`."""
    files: Mapping[str, str]
    """Slurm's files and `elastic.json`, as they are used here."""
    changes: tuple[Change, ...]
    """What differs in them from those of the real cluster."""
    times: Times
    """The waits that are in them."""
    cgroups: bool
    """Whether hosts get cgroups of their own."""

    @property
    def head(self) -> IPv4Address:
        """The head node's fixed address, the same as on the real cluster."""
        return head_address(self.cluster)

    @property
    def kept(self) -> set[str]:
        """Nodes that are always up."""
        queues = self.cluster.queues
        return {node_name(queue.name, number) for queue in queues for number in range(1, queue.min + 1)}

    @property
    def users(self) -> tuple[str, ...]:
        """Who may submit jobs: those of the described accounts, or else one that stands for all."""
        accounting = self.cluster.slurm.accounting
        named = [user for account in (accounting.accounts if accounting else {}).values() for user in account.users]
        return tuple(dict.fromkeys(named)) or (USER,)

    def submitter(self, queue: Queue) -> tuple[str, str]:
        """A user who may submit to `queue`, and the account that must be named for it; empty if none must."""
        accounting = self.cluster.slurm.accounting or Accounting()
        admitted = str(next((v for k, v in queue.slurm.items() if k.lower() == "allowaccounts"), "")).split(",")
        for name, account in accounting.accounts.items():
            if account.users and (name in admitted or admitted == [""]):
                user = account.users[0]
                return user, "" if accounting.default_accounts[user] == name else name
        return self.users[0], ""

    @property
    def network(self) -> IPv4Network:
        """All addresses of the cluster."""
        own, existing = self.cluster.network.cidr, self.cluster.network.existing
        return IPv4Network(str(own or (existing and existing.cidr)))

    @property
    def login(self) -> str:
        """The host on which users log in: a login node, or the head node if the cluster has none."""
        if not self.cluster.login_nodes:
            return "head"
        return f"login-{str(next(self.addresses(self.cluster.zone))).replace('.', '-')}"

    @property
    def name_files(self) -> dict[str, str]:
        """The configuration of name server and forwarders, by their paths in the config bucket."""
        return name_files(self.cluster)

    def addresses(self, zone: str) -> Iterator[IPv4Address]:
        """Addresses for elastic nodes in `zone`, one after another."""
        subnet = self.cluster.node_subnet(zone)
        return (subnet[number] for number in count(_FIRST_NODE))

    def cpus(self, queue: str) -> int:
        """CPUs of a node of `queue`, in Slurm's eyes."""
        return int(self._node_line(queue)["CPUs"])

    def gpus(self, queue: str) -> int:
        """GPUs of a node of `queue`."""
        gres = self._node_line(queue).get("Gres", "")
        return sum(int(each.rpartition(":")[2]) for each in gres.split(",") if each.startswith("gpu:"))

    def devices(self, queue: str) -> tuple[Device, ...]:
        """The device files of a node's GPUs, as gres.conf names them."""
        lines = self.files.get("gres.conf", "").splitlines()
        paths = [path for line in lines if line.startswith(f"NodeName={queue}-") for path in _device_paths(line)]
        return tuple((path, NVIDIA, minor) for minor, path in enumerate(dict.fromkeys(paths)))

    def _node_line(self, queue: str) -> dict[str, str]:
        lines = self.files["slurm.conf"].splitlines()
        line = next(line for line in lines if re.match(rf"NodeName={re.escape(queue)}-(\d+|\[\S*\]) ", line))
        return dict(item.split("=", 1) for item in line.split())


def prepare(cluster: ClusterSpec, *, root: Path, times: Times) -> Setup:
    """Generate the files of `cluster` for the Slurm that `root` holds, and shrink them."""
    release = slurm_release(root)
    cgroups = all((CGROUPS / name / "cgroup.procs").exists() for name in CONTROLLERS)
    generated = slurm_files(cluster, version=".".join(release.split(".")[:2]))
    files, changes = shrink(generated, times=times, cgroups=cgroups)
    return Setup(
        cluster=cluster,
        root=root,
        release=release,
        files=files,
        changes=(*changes, *names.CHANGES, PROFILE, PATIENT_RANKS),
        times=times,
        cgroups=cgroups,
    )


def slurm_release(root: Path) -> str:
    """The release of Slurm in a root file system: `22.05.8`."""
    told = subprocess.run(["chroot", str(root), "slurmctld", "-V"], capture_output=True, text=True, check=True)
    return told.stdout.split()[1]


def _device_paths(line: str) -> list[str]:
    """`File=/dev/nvidia[0-1]` -> `/dev/nvidia0`, `/dev/nvidia1`."""
    found = re.search(r"\bFile=(\S+)", line)
    if not found:
        return []
    ranged = re.fullmatch(r"(.*)\[(\d+)-(\d+)\]", found[1])
    if not ranged:
        return found[1].split(",")
    return [f"{ranged[1]}{number}" for number in range(int(ranged[2]), int(ranged[3]) + 1)]
