"""Google Cloud as a node sees it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hpc_components.gcp.spec import GcpClusterSpec

from .fake_gcp import FakeGcp
from .fake_metadata import GcpMachine
from .gcp_rights import ACCOUNTS, PEOPLE_GRANTS, PROJECT
from .sandbox import Sandbox
from .stage import Stage

CONFIG = "lab-config-1a2b3c"


def gcp_spec(**more: Any) -> GcpClusterSpec:
    """Two CPUs a node, which any machine has. Debian 13, because its packages are at hand."""
    described = {
        "cloud": "gcp",
        "name": "lab",
        "project": PROJECT,
        "region": "us-central1",
        "zone": "us-central1-a",
        "os": "debian-13",
        "network": {"cidr": "10.90.0.0/16"},
        "head_node": {"machine": "n2-standard-4"},
        "login_nodes": {"machine": "n2-standard-4", "max_sessions_per_user": 4},
        "queues": [{"name": "debug", "machine": "n2-standard-4", "max": 4, "smt": False}],
        "slurm": {"version": "24.11", "accounting": {}},
        "buckets": {"data": {"type": "gcs"}},
    }
    return GcpClusterSpec.model_validate(described | more)


def gcp_metadata(role: str, **more: str) -> dict[str, str]:
    """Custom metadata of a machine, as the components write it."""
    own = {"hpc-cluster": "lab", "hpc-role": role, "hpc-config": CONFIG, "hpc-project": PROJECT}
    if role == "compute":
        own |= {"hpc-queue": "debug", "hpc-machine": "n2-standard-4", "hpc-zone": "us-central1-a"}
        own |= {"hpc-purchase": "on_demand"}
    return own | {key.replace("_", "-"): value for key, value in more.items()}


class GcpStage(Stage):
    """Google Cloud, whose stand-in answers all nodes of a test."""

    def __init__(self, make: Callable[..., Sandbox], gcp: FakeGcp) -> None:
        self.make, self.gcp, self.cluster = make, gcp, gcp_spec()
        gcp.grants = {ACCOUNTS[place]: grants for place, grants in PEOPLE_GRANTS.items()}
        self.facts = {"id": "4520031799277581759", "address": "10.90.128.101", "queue": "debug", "number": "9"}

    def node(self, role: str) -> Sandbox:
        name = {"compute": "lab-debug-9"}.get(role, f"lab-{role}")
        machine = GcpMachine(gcp_metadata(role), ACCOUNTS[role], name, address=self.facts["address"])
        self.gcp.metadata.machines[""] = machine
        return self.make(role)

    def silent(self, box: Sandbox) -> None:
        box.environment["IMDS"] = "http://127.0.0.1:9"

    def put_secret(self, name: str, value: bytes | None) -> None:
        versions = self.gcp.secrets.secrets.setdefault(f"lab-{name}", [])
        if value is not None:
            versions.append(value)

    def secret(self, name: str) -> bytes | None:
        versions = self.gcp.secrets.secrets[f"lab-{name}"]
        return versions[-1] if versions else None

    def user_secret(self, value: bytes) -> str:
        self.gcp.secrets.secrets["db"] = [value]
        for role in ("head", "login", "compute"):
            self.gcp.grants[ACCOUNTS[role]] |= {("roles/secretmanager.secretAccessor", "secret/db")}
        return f"projects/{PROJECT}/secrets/db/versions/latest"

    @contextmanager
    def folder(self, box: Sandbox, objects: Mapping[str, bytes]) -> Iterator[str]:
        there = {f"slurm/{name}": content for name, content in objects.items()}
        self.gcp.storage.buckets["packages"] = {**there, "slurm-old/a.deb": b"", "other": b"", "slurm/": b""}
        self.gcp.grants[ACCOUNTS[box.role]] |= {("roles/storage.objectViewer", "bucket/packages")}
        yield "gs://packages/slurm"

    def logs(self) -> list[list[str]]:
        return list(self.gcp.logs.values())

    def disks(self, box: Sandbox, own: tuple[str, ...], state: str | None) -> None:
        models = "".join(
            f"{device} {kind}\\n" for device, kind in zip(own, ("nvme_card", "nvme_card0  "), strict=False)
        )
        box.fake("lsblk", f"printf '/dev/sda PersistentDisk\\n/dev/nvme0n1 nvme_card-pd\\n{models}'")
        found = f'[[ $2 == /dev/disk/by-id/google-hpc-state ]] && echo "{state}"' if state else "false"
        box.fake("readlink", found)
