from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hpc_components.boot.files import boot_files

from .azure_rights import GRANTS
from .azure_stage import IDENTITIES, azure_spec
from .cluster import spec
from .fake_aws import FakeAws
from .fake_azure import FakeAzure
from .fake_gcp import FakeGcp
from .gcp_rights import ACCOUNTS
from .gcp_rights import GRANTS as GCP_GRANTS
from .gcp_stage import CONFIG, gcp_spec
from .lab import missing
from .sandbox import Sandbox

pytest.register_assert_rewrite("boot.people_scenarios", "boot.ssh_scenarios", "boot.verb_scenarios")

RFS = Path(__file__).parents[2] / "build" / "rfs"
MADE = {"common/mounts.json": "[]", "common/buckets": ""}
"""What comes from who makes file systems and buckets."""

LAYERS = (RFS / "trixie-boot", RFS / "trixie-slurm")


@pytest.fixture(scope="session")
def layers() -> tuple[Path, ...]:
    """Debian 13 with all packages, or the test is skipped."""
    if lack := missing(*LAYERS):
        pytest.skip(lack)
    return LAYERS


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory as a node has it at /opt/hpc/config."""
    folder = tmp_path_factory.mktemp("config")
    for path, text in {**boot_files(spec()), **MADE}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def aws() -> Iterator[FakeAws]:
    tags = {"hpc:queue": "debug", "hpc:state-volume": "vol-0123456789abcdef0"}
    with FakeAws(tags, {}, region="us-east-2") as fake:
        yield fake


@pytest.fixture
def sandbox(tmp_path: Path, layers: tuple[Path, ...], aws: FakeAws) -> Callable[..., Sandbox]:
    """Makes sandboxes; `files` go over those of the usual cluster."""
    files = {**boot_files(spec()), **MADE}

    def make(role: str, **more: str) -> Sandbox:
        at = tmp_path / f"sandbox-{len(list(tmp_path.iterdir()))}"
        at.mkdir()
        where = {"IMDS": aws.url, "AWS_ENDPOINT_URL": aws.url, "AWS_EC2_METADATA_SERVICE_ENDPOINT": aws.url}
        return Sandbox(at, layers, files | more, role, where)

    return make


@pytest.fixture
def azure() -> Iterator[FakeAzure]:
    with FakeAzure({IDENTITIES[place]: grants for place, grants in GRANTS.items()}) as fake:
        fake.blob.containers |= {"config": {}, "nodes": {}, "data": {}}
        yield fake


@pytest.fixture
def azure_sandbox(tmp_path: Path, layers: tuple[Path, ...], azure: FakeAzure) -> Callable[..., Sandbox]:
    """Makes sandboxes of nodes on Azure."""
    files = {**boot_files(azure_spec()), **MADE}

    def make(role: str, **more: str) -> Sandbox:
        at = tmp_path / f"sandbox-{len(list(tmp_path.iterdir()))}"
        at.mkdir()
        where = {"IMDS": azure.url, "BLOB": azure.url, "VAULT": azure.url, "HPC_SETTLE_SECONDS": "0"}
        return Sandbox(at, layers, files | more, role, {**where, "HPC_CONFIG": "labconfig1a2b3c/config"})

    return make


@pytest.fixture
def gcp() -> Iterator[FakeGcp]:
    with FakeGcp({ACCOUNTS[place]: grants for place, grants in GCP_GRANTS.items()}) as fake:
        fake.names |= {CONFIG: "config", "lab-data-1a2b3c": "data", ACCOUNTS["data"]: "data"}
        fake.storage.buckets |= {CONFIG: {}, "lab-data-1a2b3c": {}}
        yield fake


@pytest.fixture
def gcp_sandbox(tmp_path: Path, layers: tuple[Path, ...], gcp: FakeGcp) -> Callable[..., Sandbox]:
    """Makes sandboxes of nodes on Google Cloud."""
    files = {**boot_files(gcp_spec()), **MADE}

    def make(role: str, **more: str) -> Sandbox:
        at = tmp_path / f"sandbox-{len(list(tmp_path.iterdir()))}"
        at.mkdir()
        where = {"IMDS": gcp.url, "GOOGLEAPIS": gcp.url, "HPC_CONFIG": CONFIG}
        return Sandbox(at, layers, files | more, role, where)

    return make
