"""Files that the head node publishes, as the nodes' own programs on all clouds write and read them."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from hpc_components.aws import boot as aws_boot
from hpc_components.azure import boot as azure_boot
from hpc_components.gcp import boot as gcp_boot

from .azure_stage import IDENTITIES, azure_tags
from .fake_aws import KEYS, FakeAws
from .fake_azure import FakeAzure
from .fake_gcp import FakeGcp
from .fake_imds import Vm
from .fake_metadata import GcpMachine
from .gcp_rights import ACCOUNTS, PEOPLE_GRANTS
from .gcp_stage import CONFIG, gcp_metadata
from .node_programs import load_program, pass_no_time

KEY = "published/people.json"


@dataclass(frozen=True)
class Node:
    """The head node's program, where no time passes, and the store that it asks."""

    program: ModuleType
    objects: MutableMapping[str, bytes]
    """Contents by key."""
    failures: Counter[str]
    """How often a path answers 503 first."""
    read: str
    """Path of the published file when it is read."""
    written: str
    """Path when it is written."""


Make = Callable[[], Node]


@pytest.fixture
def make_aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    with FakeAws({"hpc:config": CONFIG}, {}, region="us-east-2") as aws:
        credentials = {"AWS_ACCESS_KEY_ID": KEYS.access_key, "AWS_SECRET_ACCESS_KEY": KEYS.secret_key}
        settings = {"AWS_SESSION_TOKEN": str(KEYS.token), "AWS_ENDPOINT_URL": aws.url, "HPC_REGION": "us-east-2"}
        for name, value in {**credentials, **settings, "HPC_CONFIG": CONFIG}.items():
            monkeypatch.setenv(name, value)
        path = f"/{CONFIG}/{KEY}"
        program = partial(load_program, Path(aws_boot.__file__).parent / "scripts/common/aws.py", monkeypatch)
        yield lambda: Node(program(), aws.objects, aws.failures, path, path)


@pytest.fixture
def make_azure(azure: FakeAzure, monkeypatch: pytest.MonkeyPatch) -> Make:
    azure.imds.machines[""] = Vm(azure_tags("head", ""))
    for name, value in {"IMDS": azure.url, "BLOB": azure.url, "HPC_CONFIG": "labconfig/config"}.items():
        monkeypatch.setenv(name, value)
    path, program = f"/nodes/{KEY}", Path(azure_boot.__file__).parent / "scripts/common/azure.py"
    container = azure.blob.containers["nodes"]
    return lambda: Node(load_program(program, monkeypatch), container, azure.failures, path, path)


@pytest.fixture
def make_gcp(gcp: FakeGcp, monkeypatch: pytest.MonkeyPatch) -> Make:
    gcp.grants = {ACCOUNTS["head"]: PEOPLE_GRANTS["head"]}
    gcp.metadata.machines[""] = GcpMachine(gcp_metadata("head"), ACCOUNTS["head"], "lab-head")
    for name, value in {"IMDS": gcp.url, "GOOGLEAPIS": gcp.url, "HPC_CONFIG": CONFIG}.items():
        monkeypatch.setenv(name, value)
    objects = f"/storage/v1/b/{CONFIG}/o"
    program, bucket = Path(gcp_boot.__file__).parent / "scripts/common/google_node.py", gcp.storage.buckets[CONFIG]
    return lambda: Node(
        load_program(program, monkeypatch), bucket, gcp.failures, f"{objects}/{KEY}", f"/upload{objects}"
    )


@pytest.fixture(params=["aws", "azure", "gcp"])
def node(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Node:
    made = request.getfixturevalue(f"make_{request.param}")()
    pass_no_time(monkeypatch)
    return made


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_that_is_published_later_is_awaited(
    node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later: list[Callable[[], object]] = [lambda: None, lambda: node.objects.update({KEY: b"people"})]
    monkeypatch.setattr("time.sleep", lambda seconds: later.pop(0)())
    node.program.published("people.json", str(tmp_path / "people"), "900")
    assert (files(tmp_path), later) == ({"people": b"people"}, [])


def test_a_file_that_is_never_published_is_an_error(node: Node, tmp_path: Path) -> None:
    (tmp_path / "people").write_bytes(b"before")
    with pytest.raises(SystemExit, match=r"^people\.json has not been published within 5 s.*/opt/hpc/bin/hpc-update"):
        node.program.published("people.json", str(tmp_path / "people"), "5")
    assert files(tmp_path) == {"people": b"before"}


def test_a_throttled_request_is_sent_again(node: Node, tmp_path: Path) -> None:
    (tmp_path / "new").write_bytes(b"people")
    node.failures[node.written] = 3
    node.program.publish("people.json", str(tmp_path / "new"))
    assert node.objects[KEY] == b"people"
    node.failures[node.read] = 3
    node.program.published("people.json", str(tmp_path / "people"), "0")
    assert files(tmp_path)["people"] == b"people"


def test_a_full_disk_leaves_the_file_as_it_was(node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    node.objects[KEY] = b"people"
    (tmp_path / "people").write_bytes(b"before")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        node.program.published("people.json", str(tmp_path / "people"), "0")
    assert files(tmp_path) == {"people": b"before"}


def test_a_right_that_is_new_takes_a_while_on_azure(
    make_azure: Make, azure: FakeAzure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People may be described for a cluster that is there."""
    granted = azure.grants.pop(IDENTITIES["head"])
    monkeypatch.setattr("time.sleep", lambda seconds: azure.grants.update({IDENTITIES["head"]: granted}))
    (tmp_path / "new").write_bytes(b"people")
    node = make_azure()
    node.program.publish("people.json", str(tmp_path / "new"))
    assert node.objects[KEY] == b"people"


def test_a_right_that_is_new_takes_a_while_on_google(
    make_gcp: Make, gcp: FakeGcp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    granted = gcp.grants.pop(ACCOUNTS["head"])
    monkeypatch.setattr("time.sleep", lambda seconds: gcp.grants.update({ACCOUNTS["head"]: granted}))
    (tmp_path / "new").write_bytes(b"people")
    node = make_gcp()
    node.program.publish("people.json", str(tmp_path / "new"))
    assert node.objects[KEY] == b"people"
