"""A whole cluster that boots: the generated files in a bucket, a cloud that makes machines when it is asked to."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planned_aws import Planned

from hpc_components import aws as hpc
from hpc_components.aws.organizations.model import with_roles
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.preview.record import record

from .fake_aws import FakeAws, Instance
from .lab import GATEWAY, METADATA, Lab, Machine
from .lab_cluster import LabCluster

PENDING = 2.0
"""Seconds before an instance starts. Slurm takes a node that was up in the second it was asked for as an old one."""

PEOPLE = {"users": {"ada": {"uid": 2001}}}
"""A description's people, which the head node publishes."""

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
    return Planned(record(lambda: hpc.Cluster(described.name, described), preview=False))


@dataclass
class Cluster(LabCluster):
    """What is described, in the lab, on AWS."""

    described: AwsClusterSpec
    plan: Planned
    aws: FakeAws
    heads: int = 0
    head: Machine = field(init=False)
    """The head node that booted last."""

    @property
    def config(self) -> str:
        return self.plan.bucket

    @property
    def buckets(self) -> str:
        return self.plan.objects["common/buckets"]

    def put_objects(self, objects: Mapping[str, bytes]) -> None:
        self.aws.objects |= objects

    def boot_head(self) -> Machine:
        self.heads += 1
        tags = {**self.plan.head_tags, "hpc:state-volume": "vol-0123456789abcdef0"}
        self.head = self._boot(Instance(tags, f"i-{self.heads:017x}", self.address), head=True)
        return self.head

    def boot_login(self, number: int = 1) -> Machine:
        return self._boot(Instance(self.plan.login_tags, f"i-1{number:016x}", self.near(50 + number)))

    def boot_node(self, id: str, tags: Mapping[str, str], index: int) -> Machine:
        """What EC2 does with a launched instance."""
        machine = self._boot(Instance(dict(tags), id, self.near(100 + len(self.nodes)), index))
        self.nodes[id] = machine
        return machine

    def _boot(self, instance: Instance, *, head: bool = False) -> Machine:
        self.aws.instances[instance.address] = instance
        return self.boot(instance.id, instance.address, head=head)

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
def booted(
    layers: tuple[Path, ...], described: AwsClusterSpec, *, services: tuple[str, ...] = ()
) -> Iterator[Cluster]:
    """A cluster's bucket, secrets and launch templates, and the network; no machine yet.

    Names in the domains `services` are those of the gateway.
    """
    fake_url = f"http://{METADATA}"
    with ExitStack() as stack:
        # a container of this kind has no console
        seams = {"S3": fake_url, "AWS_ENDPOINT_URL": fake_url, "HPC_CONSOLE": "/var/log/console"}
        lab = stack.enter_context(Lab(layers, seams, services=services))
        for folder in ("state", "shared"):
            (lab.files / folder).mkdir()
        plan = planned(described)
        rights = {"head": plan.allows("head"), "login": plan.allows("login")}
        rights["compute"] = plan.allows(described.queues[0].name)
        worn = {"login": plan.role_arn("login"), "compute": plan.role_arn(described.queues[0].name)}
        buckets = {line.split(" s3://")[1]: line.split()[0] for line in plan.objects["common/buckets"].splitlines()}
        own = [plan.organization_role(name) for name in with_roles(described)]
        aws = FakeAws(
            {},
            {},
            region=described.region,
            secrets={name: {} for name in plan.secrets},
            rights=rights,
            arns={
                **plan.secrets,
                "bucket": plan.bucket_arn,
                **{name: plan.bucket_arns(key)[0] for name, key in buckets.items()},
            },
            role_arns=worn,
            data_roles=[plan.data_role("login"), plan.data_role(described.queues[0].name), *own],
            buckets={name: {"shard-0": b"tokens"} for name in buckets},
            keys=plan.bucket_keys(),
            address=(METADATA, 80),
            more_addresses=[(GATEWAY, 80)],
        )
        plan.add_templates(aws.ec2)
        with lab.network():
            stack.enter_context(aws)
        cluster, ended = Cluster(described, lab, plan, aws), threading.Event()
        thread = threading.Thread(target=cluster.follow, args=(ended,))
        thread.start()
        stack.callback(thread.join)
        stack.callback(ended.set)
        yield cluster
