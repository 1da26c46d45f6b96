"""A whole cluster that boots on Google Cloud, as far as its machines see it."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from elastic.drivers.fake_gce import FakeGce
from elastic.drivers.gce_shapes import Template
from planned_gcp import PlannedGcp

from hpc_components.gcp.cluster import Cluster
from hpc_components.gcp.spec import GcpClusterSpec
from hpc_components.preview.record import record

from .authority import CERTIFICATES, certified
from .fake_gcp import FakeGcp
from .fake_metadata import GcpMachine
from .gcp_rights import PROJECT, ROLES
from .lab import GATEWAY, METADATA, Lab, Machine
from .lab_cluster import LabCluster

PENDING = 2.0
"""Seconds before a machine starts. Slurm takes a node that was up in the second it was asked for as an old one."""

READ = f"""
import json, os, urllib.request
def ask(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as reply:
        return reply.read().decode()
account = f"http://{{os.environ['GCE_METADATA_HOST']}}/computeMetadata/v1/instance/service-accounts/default"
token = "Bearer " + json.loads(ask(account + "/token", **{{"Metadata-Flavor": "Google"}}))["access_token"]
bucket = next(line.split("gs://")[1].strip() for line in open("/etc/hpc/buckets") if line.startswith("data "))
print(ask(f"https://storage.googleapis.com/storage/v1/b/{{bucket}}/o/shard-0?alt=media", Authorization=token))
try:
    munge = "projects/{PROJECT}/secrets/lab-munge/versions/latest"
    ask(f"https://secretmanager.googleapis.com/v1/{{munge}}:access", Authorization=token)
except Exception as error:
    print(error)
"""
"""A user's program: reads an object of the described bucket, and tries to read the munge key."""


@dataclass
class GcpCluster(LabCluster):
    """What is described, in the lab, on Google Cloud."""

    plan: PlannedGcp
    gcp: FakeGcp
    gce: FakeGce

    @property
    def config(self) -> str:
        return self.plan.metadata("lab-head")["hpc-config"]

    @property
    def buckets(self) -> str:
        return self.plan.text("common/buckets")

    @property
    def objects(self) -> dict[str, bytes]:
        """Of the config bucket."""
        return self.gcp.storage.buckets[self.config]

    def put_objects(self, objects: Mapping[str, bytes]) -> None:
        self.objects.update(objects)

    def boot_head(self) -> Machine:
        machine = GcpMachine(self.plan.metadata("lab-head"), self.plan.account("lab-head"), "lab-head", 1001)
        return self._boot(replace(machine, address=self.address), head=True)

    def boot_login(self, number: int = 1) -> Machine:
        metadata, account = self.plan.metadata("lab-login"), self.plan.account("lab-login")
        machine = GcpMachine(metadata, account, f"lab-login-x1y{number}", 1001 + number)
        return self._boot(replace(machine, address=self.near(49 + number)))

    def boot_node(self, name: str, number: str, template: str) -> Machine:
        """What Google does with a machine that is made from a template."""
        made = self.plan.templates[template]
        machine = GcpMachine(made.metadata, made.account, name, int(number), self.near(100 + len(self.nodes)))
        self.nodes[number] = self._boot(machine)
        return self.nodes[number]

    def _boot(self, machine: GcpMachine, *, head: bool = False) -> Machine:
        self.gcp.machine(machine)
        return self.boot(str(machine.id), machine.address, head=head)

    def follow(self, ended: threading.Event) -> None:
        """Switch machines on and off as Google is told to, until `ended`."""
        ids = {id(template): name for name, template in self.gce.templates.items()}
        while not ended.wait(0.1):
            now = self.gce.clock()
            for vm in list(self.gce.vms):
                if vm.number not in self.nodes and now - vm.made >= PENDING and vm.alive(now):
                    self.boot_node(vm.name, vm.number, ids[id(vm.template)])
                elif not vm.alive(now) and vm.number in self.nodes and self.nodes[vm.number].alive:
                    self.nodes[vm.number].kill()


@contextmanager
def gcp_booted(layers: tuple[Path, ...], described: GcpClusterSpec) -> Iterator[GcpCluster]:
    """A cluster's buckets, secrets, templates and network; no machine yet."""
    with ExitStack() as stack:
        # a container of this kind has no console
        lab = stack.enter_context(Lab(layers, {"HPC_CONSOLE": "/var/log/console"}, METADATA, ("googleapis.com",)))
        for folder in ("state", "shared", "certificates"):
            (lab.files / folder).mkdir()
        plan, gce = PlannedGcp(record(lambda: Cluster(described.name, described), preview=False)), FakeGce()
        for id, template in plan.templates.items():
            gce.templates[id] = Template(template.machine, dict(template.labels))
        gcp = FakeGcp(
            {email: plan.grants(email) for email in plan.names if email.endswith(".email")},
            {**ROLES, **plan.permissions()},
            dict(plan.names),
            gce=gce,
            address=(METADATA, 80),
            context=certified(lab.files / "certificates", ["*.googleapis.com"]),
            tls=(GATEWAY, 443),
        )
        gcp.secrets.secrets |= {name: [] for name in plan.secrets}
        cluster, ended = GcpCluster(described, lab, plan, gcp, gce), threading.Event()
        (data,) = [name for name, label in plan.names.items() if label == "data" and name.endswith(".name")]
        gcp.storage.buckets |= {data: {"shard-0": b"tokens"}, cluster.config: {}}
        # what components put there, beside the files of the boot: the head node's fleets, and the object that says
        # that the cluster is to stay
        cluster.put_objects({key: plan.text(key).encode() for key in ("head/fleets.json", "cluster")})
        with lab.network():
            stack.enter_context(gcp)
        cluster.binds = {CERTIFICATES: "certificates/authorities.pem"}
        thread = threading.Thread(target=cluster.follow, args=(ended,))
        thread.start()
        stack.callback(thread.join)
        stack.callback(ended.set)
        yield cluster
