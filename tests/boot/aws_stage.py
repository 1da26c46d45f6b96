"""AWS as a node sees it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .cluster import spec
from .fake_aws import FakeAws, Instance
from .fake_bucket import served_bucket
from .sandbox import Sandbox
from .stage import Stage


class AwsStage(Stage):
    """AWS, whose stand-in answers all nodes of a test."""

    def __init__(self, make: Callable[..., Sandbox], aws: FakeAws) -> None:
        self.make, self.aws, self.cluster = make, aws, spec()
        tags = {"hpc:queue": "debug", "hpc:nodes": "2-3.9", "hpc:state-volume": "vol-0123456789abcdef0"}
        aws.instances["127.0.0.1"] = Instance(tags, "i-0a1b", "10.90.64.101", launch_index=2)
        self.facts = {"id": "i-0a1b", "address": "10.90.64.101", "queue": "debug", "number": "9"}

    def node(self, role: str) -> Sandbox:
        return self.make(role)

    def silent(self, box: Sandbox) -> None:
        box.environment["IMDS"] = "http://127.0.0.1:9"

    def _name(self, name: str) -> str:
        return f"hpc/lab/{name}-lab-config-1a2b3c"

    def put_secret(self, name: str, value: bytes | None) -> None:
        self.aws.secrets[self._name(name)] = {} if value is None else {"1": value}

    def secret(self, name: str) -> bytes | None:
        return next(reversed(self.aws.secrets[self._name(name)].values()), None)

    def user_secret(self, value: bytes) -> str:
        self.aws.secrets["arn:aws:secretsmanager:us-east-2:123456789012:secret:db"] = {"1": value}
        return "arn:aws:secretsmanager:us-east-2:123456789012:secret:db"

    @contextmanager
    def folder(self, box: Sandbox, objects: Mapping[str, bytes]) -> Iterator[str]:
        there = {f"slurm/{name}": content for name, content in objects.items()} | {"other": b""}
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
