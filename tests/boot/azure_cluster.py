"""A whole cluster that boots on Azure, as far as its machines see it."""

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hpc_components.azure.spec import AzureClusterSpec

from .authority import CERTIFICATES, certified
from .azure_rights import GRANTS
from .azure_stage import IDENTITIES, azure_tags
from .fake_azure import STREAM, FakeAzure
from .fake_imds import Vm
from .lab import GATEWAY, METADATA, Lab, Machine
from .lab_cluster import LabCluster

__all__ = ["READ", "WIRE_SERVER", "AzureCluster", "azure_booted"]

WIRE_SERVER = "168.63.129.16"
"""Azure's name server, which also hands out the settings of extensions on port 80."""

_DOMAINS = ("blob.core.windows.net", "vault.azure.net", "ingest.monitor.azure.com")
_LOGS = f"https://lab-1a2b.eastus-1.{_DOMAINS[2]}{STREAM}"

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
    names: dict[str, str] = field(default_factory=dict)
    """Node by vmId, as the elastic daemon writes it down."""

    @property
    def config(self) -> str:
        return "labconfig1a2b3c/config"

    @property
    def buckets(self) -> str:
        return f"data https://labdata1a2b3c.{_DOMAINS[0]}/data\n"

    def put_objects(self, objects: Mapping[str, bytes]) -> None:
        self.azure.blob.containers["config"] |= objects

    def boot_head(self) -> Machine:
        return self._boot("head", self.address)

    def boot_login(self) -> Machine:
        return self._boot("login", self.near(50))

    def boot_node(self, queue: str, last: int) -> tuple[Machine, str]:
        """What Azure does when a scale set is given another machine, and the machine's vmId."""
        machine = self._boot("compute", self.near(last), **{"hpc:queue": queue})
        return machine, self.azure.imds.machines[machine.address].id

    def name(self, vm: str, node: str) -> None:
        """What the elastic daemon does when it sees a machine in a scale set."""
        self.names[vm] = node
        document = {"version": 1, "names": self.names, "launches": {}}
        self.azure.blob.containers["nodes"]["lab-scale-set.json"] = json.dumps(document).encode()

    def _boot(self, role: str, address: str, **tags: str) -> Machine:
        if role == "head":
            tags["hpc:nodes-group"] = "/subscriptions/s-1/resourceGroups/lab-nodes"
        else:  # where people and jobs are
            tags["hpc:data-identity"] = IDENTITIES["data"]
        scale_set = "" if role == "head" else "lab-scale-set"
        vm = Vm(azure_tags(role, _LOGS, **tags), str(uuid.uuid4()), address, scale_set)
        self.azure.machine(vm)
        return self.boot(vm.id, address, head=role == "head")


@contextmanager
def azure_booted(layers: tuple[Path, ...], described: AzureClusterSpec) -> Iterator[AzureCluster]:
    """A cluster's containers, secrets and network; no machine yet."""
    seams = {"HPC_SETTLE_SECONDS": "1", "HPC_CONSOLE": "/var/log/console"}  # a container of this kind has no console
    with ExitStack() as stack:
        lab = stack.enter_context(Lab(layers, seams, WIRE_SERVER, _DOMAINS))
        for folder in ("state", "shared", "certificates"):
            (lab.files / folder).mkdir()
        azure = FakeAzure(
            {IDENTITIES[place]: grants for place, grants in GRANTS.items()},
            address=(METADATA, 80),
            more_addresses=[(WIRE_SERVER, 80)],
            context=certified(
                lab.files / "certificates", [f"*.{domain}" for domain in (*_DOMAINS, f"eastus-1.{_DOMAINS[2]}")]
            ),
            tls=(GATEWAY, 443),
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
        cluster = AzureCluster(described, lab, azure)
        cluster.binds = {CERTIFICATES: "certificates/authorities.pem"}
        yield cluster
