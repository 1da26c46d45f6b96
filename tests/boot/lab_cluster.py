"""A described cluster in the lab, whatever its cloud: what is in its bucket, and how its machines boot."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from hpc_components.boot.files import boot_files
from hpc_components.boot.manifest import MANIFEST, manifest
from hpc_components.boot.stub import user_data
from hpc_components.spec.addresses import head_address
from hpc_components.spec.cluster import ClusterSpec

from .lab import Lab, Machine, wait_for

SHARED = {"/lab": "shared"}
"""Stands for a file server: what machines mount from."""


def configuration(described: ClusterSpec) -> dict[str, str]:
    """The generated files, and what of them can't be in a container on this kernel.

    There is neither Lustre nor NFS: a directory is mounted instead. slurmd finds no cgroups that it can use.
    """
    files = boot_files(described)
    conf = files["common/slurm/slurm.conf"]
    instead = {
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "JobAcctGatherType": "jobacct_gather/linux",
    }
    for key, value in instead.items():
        conf, count = re.subn(f"^{key}=.*$", f"{key}={value}", conf, flags=re.M)
        assert count == 1, key
    mounts = [{"mount": "/shared", "type": "none", "from": "/lab", "options": "bind"}]
    return {
        **files,
        "common/mounts.json": json.dumps(mounts),
        "common/slurm/slurm.conf": conf,
        "common/slurm/cgroup.conf": "CgroupPlugin=disabled\n",
    }


@dataclass
class LabCluster(ABC):
    """What is described, in the lab."""

    described: ClusterSpec
    lab: Lab
    binds: Mapping[str, str] = field(default_factory=dict, init=False)
    """More of what machines mount: paths below the shared directory by where the machine sees them."""
    nodes: dict[str, Machine] = field(default_factory=dict, init=False)
    """Compute nodes by what the cloud calls a machine."""

    @property
    @abstractmethod
    def config(self) -> str:
        """Name of the config bucket, as nodes know it."""

    @abstractmethod
    def put_objects(self, objects: Mapping[str, bytes]) -> None:
        """Put objects into the config bucket."""

    @property
    @abstractmethod
    def buckets(self) -> str:
        """The file `common/buckets`."""

    @abstractmethod
    def boot_head(self) -> Machine:
        """A new head node at the old address, on the same state volume."""

    @abstractmethod
    def boot_login(self, number: int = 1) -> Machine:
        """A login node, the first or a further one."""

    @property
    def address(self) -> str:
        return str(head_address(self.described))

    def near(self, last: int) -> str:
        """Another address."""
        return f"{self.address.rpartition('.')[0]}.{last}"

    def publish(self, files: Mapping[str, str]) -> None:
        """Put files into the bucket, the manifest last."""
        files = {**files, "common/buckets": self.buckets}
        self.put_objects({path: text.encode() for path, text in files.items()})
        self.put_objects({MANIFEST: manifest(files).encode()})

    def boot(self, id: str, address: str, *, head: bool = False) -> Machine:
        """Switch a machine on; a head node with the state volume."""
        binds = SHARED | self.binds | ({"/var/lib/hpc": "state"} if head else {})
        return self.lab.boot(address, user_data(self.described.cloud), id=id, binds=binds)


def result(machine: Machine, seconds: float = 600) -> list[str]:
    """The errors that cloud-init ends with."""

    told = machine.seen("/run/cloud-init/result.json")

    def ended() -> str:
        return told.read_text() if told.exists() else ""

    return json.loads(wait_for(ended, f"{machine.address} has booted", seconds))["v1"]["errors"]


def wait_ready(machine: Machine) -> None:
    """The machine has booted, and all went well."""
    assert result(machine) == [], machine.run("cat", "/var/log/hpc-boot.log", check=False)


def services(machine: Machine) -> dict[str, str]:
    """Which run of it each service is in, but for those of users' sessions, which come and go."""
    text = machine.run("systemctl", "show", "--property=Id,InvocationID,ActiveState", "*.service")
    units = [dict(line.split("=", 1) for line in block.splitlines()) for block in text.strip().split("\n\n")]
    running = [unit for unit in units if unit["ActiveState"] == "active"]
    return {each["Id"]: each["InvocationID"] for each in running if not each["Id"].startswith(("user@", "user-"))}
