"""A whole cluster that boots on Azure, as far as its machines see it."""

import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from elastic.drivers.arm_shapes import tags_of
from elastic.drivers.fake_arm import GROUP, FakeArm

from hpc_components.azure.spec import AzureClusterSpec

from .authority import CERTIFICATES, certified
from .azure_rights import GRANTS
from .azure_stage import IDENTITIES, azure_tags
from .fake_azure import STREAM, FakeAzure
from .fake_imds import Vm
from .lab import GATEWAY, METADATA, Lab, Machine
from .lab_cluster import LabCluster

__all__ = ["READ", "WIRE_SERVER", "AzureCluster", "azure_booted"]

CONFIG = "labconfig1a2b3c/config"
DATA = {"hpc:data-identity": IDENTITIES["data"]}
PENDING = 2.0
"""Seconds before a machine starts. Slurm takes a node that was up in the second it was asked for as an old one."""

WIRE_SERVER = "168.63.129.16"
"""Azure's name server, which also hands out the settings of extensions on port 80."""

_DOMAINS = ("blob.core.windows.net", "vault.azure.net", "eastus-1.ingest.monitor.azure.com")
_ARM = "management.azure.com"
_LOGS = f"https://lab-1a2b.{_DOMAINS[2]}{STREAM}"

READ = """
import json, os, urllib.request
def ask(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as reply:
        return reply.read().decode()
def token(resource):
    url = os.environ["IDENTITY_ENDPOINT"] + "?api-version=2019-08-01&resource=" + resource
    return "Bearer " + json.loads(ask(url, **{"X-IDENTITY-HEADER": os.environ["IDENTITY_HEADER"]}))["access_token"]
bucket = next(line.split()[1] for line in open("/etc/hpc/buckets") if line.startswith("data "))
print(ask(bucket + "/shard-0", Authorization=token("https://storage.azure.com/"), **{"x-ms-version": "2021-08-06"}))
try:
    url = "https://lab-1a2b3c.vault.azure.net/secrets/munge?api-version=7.4"
    ask(url, Authorization=token("https://vault.azure.net"))
except Exception as error:
    print(error)
"""
"""A user's program: reads a blob of the described bucket, and tries to read the munge key."""


@dataclass
class AzureCluster(LabCluster):
    """What is described, in the lab, on Azure."""

    azure: FakeAzure
    arm: FakeArm
    nodes: dict[str, Machine] = field(default_factory=dict)
    """Compute nodes by vmId."""

    @property
    def config(self) -> str:
        return CONFIG

    @property
    def buckets(self) -> str:
        return f"data https://labdata1a2b3c.{_DOMAINS[0]}/data\n"

    def put_objects(self, objects: Mapping[str, bytes]) -> None:
        self.azure.blob.containers["config"] |= objects

    def boot_head(self) -> Machine:
        return self._boot("head", self.address, str(uuid.uuid4()), **{"hpc:nodes-group": GROUP})

    def boot_login(self) -> Machine:
        return self._boot("login", self.near(50), str(uuid.uuid4()), **DATA)

    def boot_node(self, queue: str, vm: str, scale_set: str) -> Machine:
        """What Azure does with another machine of a scale set."""
        address = self.near(100 + len(self.nodes))
        self.nodes[vm] = self._boot("compute", address, vm, scale_set, **DATA, **{"hpc:queue": queue})
        return self.nodes[vm]

    def _boot(self, role: str, address: str, id: str, scale_set: str = "", **tags: str) -> Machine:
        vm = Vm(azure_tags(role, _LOGS, **tags), id, address, scale_set)
        self.azure.machine(vm)
        return self.boot(vm.id, address, head=role == "head")

    def follow(self, ended: threading.Event) -> None:
        """Switch machines on and off as Azure is told to, until `ended`."""
        while not ended.wait(0.1):
            now = self.arm.clock()
            for scale_set, vm in self.arm.vms():
                if vm.vm_id not in self.nodes and now - vm.made >= PENDING:
                    self.boot_node(scale_set.tags["hpc:queue"], vm.vm_id, scale_set.name)
                elif vm.ended is not None and vm.vm_id in self.nodes and self.nodes[vm.vm_id].alive:
                    self.nodes[vm.vm_id].kill()


@contextmanager
def azure_booted(layers: tuple[Path, ...], described: AzureClusterSpec) -> Iterator[AzureCluster]:
    """A cluster's containers, secrets and network; no machine yet."""
    seams = {"HPC_SETTLE_SECONDS": "1", "HPC_CONSOLE": "/var/log/console"}  # a container of this kind has no console
    with ExitStack() as stack:
        lab = stack.enter_context(Lab(layers, seams, WIRE_SERVER, (*_DOMAINS, _ARM)))
        for folder in ("state", "shared", "certificates"):
            (lab.files / folder).mkdir()
        arm = FakeArm(base=f"https://{_ARM}")
        for queue in described.queues:
            tags = tags_of(described.name, queue.name, queue.machine, "eastus-1", "on_demand", CONFIG)
            arm.add_set(f"lab-{queue.name}", queue.machine, "1", tags, flexible=True)
        azure = FakeAzure(
            {IDENTITIES[place]: grants for place, grants in GRANTS.items()},
            address=(METADATA, 80),
            more_addresses=[(WIRE_SERVER, 80)],
            context=certified(lab.files / "certificates", [*(f"*.{each}" for each in _DOMAINS), _ARM]),
            tls=(GATEWAY, 443),
            arm=arm,
            owners={
                "config": "labconfig1a2b3c",
                "nodes": "labconfig1a2b3c",
                "data": "labdata1a2b3c",
                "secrets": "lab-1a2b3c",
            },
        )
        azure.blob.containers |= {"config": {}, "nodes": {}, "data": {"shard-0": b"tokens"}}
        for name in ("munge", "jwt", "ssh-host"):
            azure.vault.make(name)
        with lab.network():
            stack.enter_context(azure)
        cluster, ended = AzureCluster(described, lab, azure, arm), threading.Event()
        cluster.binds = {CERTIFICATES: "certificates/authorities.pem"}
        thread = threading.Thread(target=cluster.follow, args=(ended,))
        thread.start()
        stack.callback(thread.join)
        stack.callback(ended.set)
        yield cluster
