"""A whole cluster that boots: the generated files in a bucket, a cloud that makes machines when it is asked to."""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planned_aws import Planned

from hpc_components.aws.program import main
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.boot.files import boot_files
from hpc_components.boot.manifest import MANIFEST, manifest
from hpc_components.boot.stub import user_data
from hpc_components.preview.record import record
from hpc_components.spec.addresses import head_address

from .fake_aws import FakeAws, Instance
from .lab import GATEWAY, METADATA, Lab, Machine, wait_for

__all__ = ["READ", "Cluster", "booted", "configuration", "result", "services", "spec", "wait_ready"]

PENDING = 2.0
"""Seconds before an instance starts. Slurm takes a node that was up in the second it was asked for as an old one."""

READ = f"""
import boto3
here = {{"region_name": "us-east-2", "endpoint_url": "http://{GATEWAY}"}}  # where AWS is, for people
bucket = next(line.split("s3://")[1].strip() for line in open("/etc/hpc/buckets") if line.startswith("data "))
print(boto3.client("s3", **here).get_object(Bucket=bucket, Key="shard-0")["Body"].read().decode())
try:
    boto3.client("secretsmanager", **here).get_secret_value(SecretId="{{munge}}")
except Exception as error:
    print(error)
"""
"""A user's program: reads an object of the described bucket, and tries to read the munge key."""

SHARED = {"/lab": "shared"}
"""Stands for a file server: what machines mount from."""


def spec(**more: Any) -> AwsClusterSpec:
    """Two CPUs a node, which any machine has. Debian 13, because its packages are at hand."""
    described = {
        "cloud": "aws",
        "name": "lab",
        "region": "us-east-2",
        "zone": "use2-az2",
        "os": "debian-13",
        "network": {"cidr": "10.90.0.0/16"},
        "head_node": {"machine": "m7i.large"},
        "login_nodes": {"machine": "m7i.large", "max_sessions_per_user": 4},
        "queues": [{"name": "debug", "machine": "c7i.xlarge", "max": 4, "smt": False}],
        "slurm": {"version": "24.11", "accounting": {}},
        "buckets": {"data": {"type": "s3"}},
    }
    return AwsClusterSpec.model_validate(described | more)


def planned(described: AwsClusterSpec) -> Planned:
    """What `pulumi up` makes of it."""
    return Planned(record(lambda: main(described), preview=False))


def configuration(described: AwsClusterSpec) -> dict[str, str]:
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
class Cluster:
    """What is described, in the lab."""

    described: AwsClusterSpec
    plan: Planned
    lab: Lab
    aws: FakeAws
    nodes: dict[str, Machine] = field(default_factory=dict)
    """Compute nodes by instance id."""
    heads: int = 0

    @property
    def address(self) -> str:
        return str(head_address(self.described))

    def publish(self, files: Mapping[str, str]) -> None:
        """Put files into the bucket, the manifest last."""
        files = {**files, "common/buckets": self.plan.objects["common/buckets"]}
        self.aws.objects |= {path: text.encode() for path, text in files.items()}
        self.aws.objects[MANIFEST] = manifest(files).encode()

    def boot_head(self) -> Machine:
        """A new head node at the old address, on the same state volume."""
        self.heads += 1
        tags = {**self.plan.head_tags, "hpc:state-volume": "vol-0123456789abcdef0"}
        binds = {**SHARED, "/var/lib/hpc": "state"}
        return self._boot(Instance(tags, f"i-{self.heads:017x}", self.address), binds)

    def boot_login(self, number: int) -> Machine:
        return self._boot(Instance(self.plan.login_tags, f"i-1{number:016x}", self._near(50 + number)), SHARED)

    def boot_node(self, id: str, tags: Mapping[str, str], index: int) -> Machine:
        """What EC2 does with a launched instance."""
        machine = self._boot(Instance(dict(tags), id, self._near(100 + len(self.nodes)), index), SHARED)
        self.nodes[id] = machine
        return machine

    def _boot(self, instance: Instance, binds: dict[str, str]) -> Machine:
        self.aws.instances[instance.address] = instance
        return self.lab.boot(instance.address, user_data(self.described.cloud), id=instance.id, binds=binds)

    def _near(self, last: int) -> str:
        return f"{self.address.rpartition('.')[0]}.{last}"

    def follow(self, ended: threading.Event) -> None:
        """Switch machines on and off as EC2 is told to, until `ended`."""
        while not ended.wait(0.1):
            now = self.aws.ec2.clock()
            for each in list(self.aws.ec2.machines.values()):
                if each.id not in self.nodes and now - each.made < PENDING:
                    continue
                if each.id not in self.nodes:
                    self.boot_node(each.id, each.tags, each.index)
                elif each.ended is not None and self.nodes[each.id].alive:
                    self.nodes[each.id].kill()
                elif each.ended is None and not self.nodes[each.id].alive:
                    each.ended = now  # it halted itself


@contextmanager
def booted(layers: tuple[Path, ...], described: AwsClusterSpec) -> Iterator[Cluster]:
    """A cluster's bucket, secrets and launch templates, and the network; no machine yet."""
    fake_url = f"http://{METADATA}"
    with ExitStack() as stack:
        # a container of this kind has no console
        seams = {"S3": fake_url, "AWS_ENDPOINT_URL": fake_url, "HPC_CONSOLE": "/var/log/console"}
        lab = stack.enter_context(Lab(layers, seams))
        for folder in ("state", "shared"):
            (lab.files / folder).mkdir()
        plan = planned(described)
        rights = {"head": plan.allows("head"), "login": plan.allows("login")}
        rights["compute"] = plan.allows(described.queues[0].name)
        worn = {"login": plan.role_arn("login"), "compute": plan.role_arn(described.queues[0].name)}
        bucket = plan.objects["common/buckets"].partition("s3://")[2].strip()
        aws = FakeAws(
            {},
            {},
            region=described.region,
            secrets={name: {} for name in plan.secrets},
            rights=rights,
            arns={**plan.secrets, "bucket": plan.bucket_arn, bucket: plan.bucket_arns("data")[0]},
            role_arns=worn,
            data_roles=[plan.data_role("login"), plan.data_role(described.queues[0].name)],
            buckets={bucket: {"shard-0": b"tokens"}},
            address=(METADATA, 80),
            more_addresses=[(GATEWAY, 80)],
        )
        plan.add_templates(aws.ec2)
        with lab.network():
            stack.enter_context(aws)
        cluster, ended = Cluster(described, plan, lab, aws), threading.Event()
        thread = threading.Thread(target=cluster.follow, args=(ended,))
        thread.start()
        stack.callback(thread.join)
        stack.callback(ended.set)
        yield cluster


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
    """Which run of it each service is in."""
    text = machine.run("systemctl", "show", "--property=Id,InvocationID,ActiveState", "*.service")
    units = [dict(line.split("=", 1) for line in block.splitlines()) for block in text.strip().split("\n\n")]
    return {unit["Id"]: unit["InvocationID"] for unit in units if unit["ActiveState"] == "active"}
