"""A whole cluster that boots on Azure, as far as its machines see it."""

import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from elastic.drivers.fake_arm import GROUP, FakeArm
from planned_azure import ACCOUNT, DATA_ACCOUNT, VAULT, PlannedAzure

from hpc_components.azure.cluster import Cluster
from hpc_components.azure.spec import AzureClusterSpec
from hpc_components.preview.record import record

from .authority import CERTIFICATES, certified
from .azure_rights import ROLES
from .fake_azure import FakeAzure
from .fake_imds import Vm
from .lab import GATEWAY, METADATA, Lab, Machine
from .lab_cluster import LabCluster

PENDING = 2.0
"""Seconds before a machine starts. Slurm takes a node that was up in the second it was asked for as an old one."""

WIRE_SERVER = "168.63.129.16"
"""Azure's name server, which also hands out the settings of extensions on port 80."""

_DOMAINS = ("blob.core.windows.net", "vault.azure.net", "eastus-1.ingest.monitor.azure.com")
_ARM = "management.azure.com"

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

    plan: PlannedAzure
    azure: FakeAzure
    arm: FakeArm

    @property
    def config(self) -> str:
        return f"{ACCOUNT}/config"

    @property
    def buckets(self) -> str:
        return self.plan.text("common/buckets")

    def put_objects(self, objects: Mapping[str, bytes]) -> None:
        self.azure.blob.containers["config"] |= objects

    def boot_head(self) -> Machine:
        tags = self.plan.tags("lab-head") | {"hpc:nodes-group": GROUP}
        return self._boot(Vm(tags, str(uuid.uuid4()), self.address), head=True)

    def boot_login(self, number: int = 1) -> Machine:
        return self._boot(Vm(self.plan.tags("lab-login"), str(uuid.uuid4()), self.near(49 + number), "lab-login"))

    def boot_node(self, id: str, tags: Mapping[str, str], scale_set: str) -> Machine:
        """What Azure does with another machine of a scale set."""
        self.nodes[id] = self._boot(Vm(tags, id, self.near(100 + len(self.nodes)), scale_set))
        return self.nodes[id]

    def _boot(self, vm: Vm, *, head: bool = False) -> Machine:
        self.azure.machine(vm)
        return self.boot(vm.id, vm.address, head=head)

    def follow(self, ended: threading.Event) -> None:
        """Switch machines on and off as Azure is told to, until `ended`."""
        while not ended.wait(0.1):
            now = self.arm.clock()
            for scale_set, vm in self.arm.vms():
                if vm.vm_id not in self.nodes and now - vm.made >= PENDING:
                    self.boot_node(vm.vm_id, scale_set.tags, scale_set.name)
                elif vm.ended is not None and vm.vm_id in self.nodes and self.nodes[vm.vm_id].alive:
                    self.nodes[vm.vm_id].kill()


@contextmanager
def azure_booted(layers: tuple[Path, ...], described: AzureClusterSpec) -> Iterator[AzureCluster]:
    """A cluster's containers, secrets, scale sets and network; no machine yet."""
    seams = {"HPC_SETTLE_SECONDS": "1", "HPC_CONSOLE": "/var/log/console"}  # a container of this kind has no console
    with ExitStack() as stack:
        lab = stack.enter_context(Lab(layers, seams, WIRE_SERVER, (*_DOMAINS, _ARM)))
        for folder in ("state", "shared", "certificates"):
            (lab.files / folder).mkdir()
        plan, arm = (
            PlannedAzure(record(lambda: Cluster(described.name, described), preview=False)),
            FakeArm(base=f"https://{_ARM}"),
        )
        for name, tags in plan.scale_sets.items():
            arm.add_set(name, tags["hpc:machine"], "1", tags, flexible=True)
        azure = FakeAzure(
            _grants(plan),
            {**ROLES, "launch": plan.actions("launch"), "use": plan.actions("use")},
            address=(METADATA, 80),
            more_addresses=[(WIRE_SERVER, 80)],
            context=certified(lab.files / "certificates", [*(f"*.{each}" for each in _DOMAINS), _ARM]),
            tls=(GATEWAY, 443),
            arm=arm,
            owners={"config": ACCOUNT, "nodes": ACCOUNT, "data": DATA_ACCOUNT, "secrets": VAULT},
        )
        azure.blob.containers |= {"config": {}, "nodes": {}, "data": {"shard-0": b"tokens"}}
        for name in plan.secrets:
            azure.vault.make(name)
        with lab.network():
            stack.enter_context(azure)
        cluster, ended = AzureCluster(described, lab, plan, azure, arm), threading.Event()
        cluster.binds = {CERTIFICATES: "certificates/authorities.pem"}
        thread = threading.Thread(target=cluster.follow, args=(ended,))
        thread.start()
        stack.callback(thread.join)
        stack.callback(ended.set)
        yield cluster


def _grants(plan: PlannedAzure) -> dict[str, frozenset[tuple[str, str]]]:
    """Role assignments of all identities that machines have, by client id."""
    marks = [plan.tags("lab-head"), plan.tags("lab-login"), *plan.scale_sets.values()]
    clients = {tags[key] for tags in marks for key in ("hpc:identity", "hpc:data-identity") if key in tags}
    return {client: plan.grants(client) for client in clients}
