"""Prepares a rehearsal without starting anything: adapts the cluster's files, addresses and devices to this
machine.
"""

import datetime
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network
from itertools import count
from pathlib import Path

from hpc_components.boot.name_service import name_files
from hpc_components.elastic.names import node_name
from hpc_components.elastic.slurm.hostlists import expand
from hpc_components.people.files import described_document
from hpc_components.people.node.document import Document, Person
from hpc_components.rehearse.cluster.adapt import Times, adapt
from hpc_components.rehearse.cluster.name_service import adapt_names
from hpc_components.rehearse.cluster.network_services import network_services
from hpc_components.rehearse.cluster.software import Software, adapted_software
from hpc_components.rehearse.hosts import cgroups
from hpc_components.rehearse.hosts.host import FIRST_ID, USER, Device
from hpc_components.rehearse.result import Change
from hpc_components.slurm import slurm_files
from hpc_components.spec import Queue
from hpc_components.spec.addresses import head_address, network_range
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.people import People
from hpc_components.spec.queue_defaults import fabric_of
from hpc_components.spec.slurm import Accounting
from hpc_components.spec.slurm.settings import queue_value
from hpc_components.spec.software import BUILDER
from hpc_components.spec.source import UnreadableError

HOME = "/home"
"""Parent directory of home directories. All users can write to file systems that are mounted anywhere else."""

LOGIN_PROFILE = Change(
    file="/etc/profile.d/rehearsal.sh",
    before="",
    after="export OMPI_MCA_mpi_yield_when_idle=1",
    why="this machine has fewer cores than the job has ranks, so a waiting rank must yield its core",
)

TIMER_SLACK = Change(
    file="/proc/self/timerslack_ns",
    before="50000",
    after="20000000",
    why="this machine has fewer cores than the job has ranks, so ranks poll every 20 ms instead of every 0.1 ms "
    "while they start or end",
)
"""Timer slack of slurmd and its child processes, in nanoseconds: how late the kernel may wake a sleeping process
(proc(5)).

With this setting, 96 ranks on 2 cores start and end in 4 s instead of 27 s. Ranks sleep longer in Open MPI's polling
loops (ompi/mca/rte/rte.h: `OMPI_LAZY_WAIT_FOR_COMPLETION`), which leaves the cores to ranks that have work to do.
"""

DEVICE_MAJOR = 60
"""Major device number of the device files of GPUs and fabrics.

Numbers 60 to 63 are reserved for local and experimental use and never assigned to drivers (Linux,
admin-guide/devices.txt), so a job can't accidentally open one of this machine's real devices.
"""

_FIRST_NODE = 64
"""Offset of the first elastic node's address within its subnet. All fixed addresses have lower offsets."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A cluster description adapted to this machine."""

    cluster: ClusterSpec
    root: Path
    """Root file system with Slurm's packages installed."""
    release: str
    """Slurm release installed in `root`, e.g. `22.05.8`."""
    files: Mapping[str, str]
    """Slurm's files, `elastic.json` and `prices.json`, adapted to this machine and keyed by name."""
    name_files: Mapping[str, str]
    """Configuration files for the name server and forwarders, adapted to this machine and keyed by path in the config
    bucket."""
    changes: tuple[Change, ...]
    times: Times
    cgroups: bool
    """Whether each host has its own cgroups."""
    software: Software = field(default_factory=Software)

    @property
    def head(self) -> IPv4Address:
        return head_address(self.cluster)

    @property
    def always_up(self) -> set[str]:
        queues = self.cluster.queues
        return {node_name(queue.name, number) for queue in queues for number in range(1, queue.min + 1)}

    @cached_property
    def people(self) -> Document:
        """Users who may submit jobs today, with the groups of the description: those listed under accounts, or the
        people of the description, or a default user. Users who are not described get an id here."""
        accounting = self.cluster.accounting
        accounts = (accounting.accounts if accounting else {}).values()
        listed = [user for account in accounts for user in account.users if user != BUILDER]
        described = described_document(self.cluster.people or People(), self.cluster.organizations)
        people, taken = described.people, {one.uid for one in described.people.values()}
        ids = (id for id in count(FIRST_ID) if id not in taken)
        users = {name: people.get(name) or Person(next(ids)) for name in (listed or people or (USER,))}
        today = datetime.datetime.now(datetime.UTC).date()
        return described.with_people({name: one for name, one in users.items() if one.may_work_on(today)})

    def submitter(self, queue: Queue) -> tuple[str, str]:
        """Return the user and the account to use when submitting a job to `queue`.

        An empty account means the user's default account. Raise UnreadableError if all users have expired.
        """
        if not self.people.people:
            raise UnreadableError(f"all users of {self.cluster.name} have expired, so no one may submit a job")
        accounting = self.cluster.accounting or Accounting()
        admitted = (queue_value(queue, "AllowAccounts") or "").split(",")
        for name, account in accounting.accounts.items():
            working = [user for user in account.users if user in self.people.people]
            if working and (name in admitted or admitted == [""]):
                return working[0], "" if accounting.default_accounts[working[0]] == name else name
        return next(iter(self.people.people)), ""

    @property
    def network(self) -> IPv4Network:
        return network_range(self.cluster)

    @property
    def login(self) -> str:
        if not self.cluster.login_nodes:
            return "head"
        return f"login-{str(next(self.addresses(self.cluster.zone))).replace('.', '-')}"

    def addresses(self, zone: str) -> Iterator[IPv4Address]:
        subnet = self.cluster.node_subnet(zone)
        return (subnet[number] for number in count(_FIRST_NODE))

    def cpus(self, queue: str) -> int:
        return int(self._node_line(queue)["CPUs"])

    def gpus(self, queue: str) -> int:
        gres = self._node_line(queue).get("Gres", "")
        return sum(int(each.rpartition(":")[2]) for each in gres.split(",") if each.startswith("gpu:"))

    def devices(self, queue: str) -> tuple[Device, ...]:
        """Return the device files of a node: those of its GPUs and of its fabric, without a device behind them."""
        lines = self.files.get("gres.conf", "").splitlines()
        found = (re.search(r" File=(\S+)", line) for line in lines if line.startswith(f"NodeName={queue}-"))
        paths = dict.fromkeys(path for each in found if each for path in expand(each[1]))
        fabric = fabric_of(self.cluster.queue(queue))
        if fabric and fabric.has_verbs:
            paths |= dict.fromkeys(f"/dev/infiniband/uverbs{number}" for number in range(fabric.interfaces))
        return tuple((path, DEVICE_MAJOR, minor) for minor, path in enumerate(paths))

    def _node_line(self, queue: str) -> dict[str, str]:
        lines = self.files["slurm.conf"].splitlines()
        line = next(line for line in lines if re.match(rf"NodeName={re.escape(queue)}-(\d+|\[\S*\]) ", line))
        return dict(item.split("=", 1) for item in line.split())


def prepare(cluster: ClusterSpec, *, root: Path, times: Times) -> Setup:
    """Generate the cluster's files for the Slurm release in `root`, and adapt them to this machine."""
    release = slurm_release(root)
    has_cgroups = cgroups.are_available()
    generated = slurm_files(cluster, version=".".join(release.split(".")[:2]))
    files, changes = adapt(generated, times=times, cgroups=has_cgroups)
    names, name_changes = adapt_names(name_files(cluster), network_services(cluster.cloud))
    software, software_changes = adapted_software(cluster)
    return Setup(
        cluster=cluster,
        root=root,
        release=release,
        files=files,
        name_files=names,
        changes=(*changes, *name_changes, *software_changes, LOGIN_PROFILE, TIMER_SLACK),
        times=times,
        cgroups=has_cgroups,
        software=software,
    )


def slurm_release(root: Path) -> str:
    shown = subprocess.run(["chroot", str(root), "slurmctld", "-V"], capture_output=True, text=True, check=True)
    return shown.stdout.split()[1]
