"""AWS as a node sees it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from iam_allows import Allows, policy

from hpc_components.aws.identity.permissions import compute_statements, head_statements, login_statements
from hpc_components.aws.identity.policies import Statement
from hpc_components.aws.ports import ConfigStore

from .cluster import spec
from .fake_aws import FakeAws, Instance
from .fake_bucket import served_bucket
from .sandbox import Sandbox
from .stage import Stage

CONFIG = ConfigStore(bucket="lab-config-1a2b3c", arn="arn:aws:s3:::lab-config-1a2b3c", publishes=True)

STATEMENTS = {
    "head": head_statements(cluster="lab", config=CONFIG, fleets=(), secrets=()),
    "login": login_statements("lab", CONFIG, "arn:aws:secretsmanager:us-east-2:123456789012:secret:ssh-host"),
    "compute": compute_statements("lab", CONFIG),
}
"""Of the roles of a cluster with people."""


def _may_publish(statements: Sequence[Statement]) -> Allows:
    """Judge what is written to buckets by a role's statements, and allow all else: `test_aws_rights_needed.py` judges
    that."""
    allows = policy([each.to_dict() for each in statements])
    return lambda action, resource, context: action != "s3:PutObject" or allows(action, resource, context)


class AwsStage(Stage):
    """AWS, whose stand-in answers all nodes of a test."""

    def __init__(self, make: Callable[..., Sandbox], aws: FakeAws) -> None:
        self.make, self.aws, self.cluster = make, aws, spec()
        tags = {"hpc:queue": "debug", "hpc:nodes": "2-3.9", "hpc:state-volume": "vol-0123456789abcdef0"}
        tags["hpc:config"] = CONFIG.bucket
        aws.arns = {"bucket": CONFIG.arn}
        aws.rights = {role: _may_publish(statements) for role, statements in STATEMENTS.items()}
        aws.instances["127.0.0.1"] = Instance(tags, "i-0a1b", "10.90.64.101", launch_index=2)
        self.facts = {"id": "i-0a1b", "address": "10.90.64.101", "queue": "debug", "number": "9"}

    def node(self, role: str) -> Sandbox:
        self.aws.instances["127.0.0.1"].tags["hpc:role"] = role
        return self.make(role)

    def silent(self, box: Sandbox) -> None:
        box.environment["IMDS"] = "http://127.0.0.1:9"

    def _name(self, name: str) -> str:
        return f"hpc/lab/{name}-{CONFIG.bucket}"

    def put_secret(self, name: str, value: bytes | None) -> None:
        self.aws.secrets[self._name(name)] = {} if value is None else {"1": value}

    def secret(self, name: str) -> bytes | None:
        return next(reversed(self.aws.secrets[self._name(name)].values()), None)

    def user_secret(self, value: bytes) -> str:
        self.aws.secrets["arn:aws:secretsmanager:us-east-2:123456789012:secret:db"] = {"1": value}
        return "arn:aws:secretsmanager:us-east-2:123456789012:secret:db"

    @contextmanager
    def folder(self, box: Sandbox, objects: Mapping[str, bytes]) -> Iterator[str]:
        there = {f"slurm/{name}": content for name, content in objects.items()} | {
            "slurm-old/a.deb": b"",
            "other": b"",
        }
        with served_bucket("packages", there) as url:
            box.environment["AWS_ENDPOINT_URL"] = url
            yield "s3://packages/slurm"

    def logs(self) -> list[list[str]]:
        return list(self.aws.logs.values())

    def disks(self, box: Sandbox, own: tuple[str, ...], state: str | None) -> None:
        models = "".join(f"{device} Amazon EC2 NVMe Instance Storage        \\n" for device in own)
        serial = f"{Path(state).name} vol0123456789abcdef0\\n" if state else ""
        box.fake(
            "lsblk",
            f"""case $* in
              *MODEL) printf '/dev/nvme0n1 Amazon Elastic Block Store\\n{models}' ;;
              *SERIAL) printf 'nvme0n1 vol0fedcba9876543210\\n{serial}' ;;
            esac""",
        )
