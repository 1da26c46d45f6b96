"""The startup script of machines that make images, with a false metadata server, bucket and Compute Engine."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from hpc_components.azure import image_builder as azure
from hpc_components.gcp import image_builder as gcp

SCRIPT = Path(gcp.__path__[0]) / "machine.sh"
SCRIPTS = [SCRIPT, *sorted(Path(azure.__path__[0]).glob("*.sh"))]
BUNDLE = "images/cpu-0123456789ab.sh"


RESULT = "images/cpu-0123456789ab-bake-2026-11-01.txt"
PROJECT = "/compute/v1/projects/fluids"
ZONE = f"{PROJECT}/zones/us-central1-a"
SELF, IMAGE, DISK = f"{ZONE}/instances/maker", f"{PROJECT}/global/images/cfd-cpu-1", f"{ZONE}/disks/cfd-cpu-1"


@dataclass
class Cloud:
    attributes: dict[str, str]
    objects: dict[str, bytes]
    exist: set[str]
    """Paths of the machine, the image and the disk, as far as they exist."""
    denials: int = 0
    """How many requests fail before a permission takes effect."""
    denied: str = "(nothing)"
    """Requests whose path contains this always fail."""
    keeps_disk: bool = False
    """Whether the disk stays when the machine is deleted."""
    calls: list[str] = field(default_factory=list)
    """Requests that change something, in order."""
    tokens: list[str] = field(default_factory=list)

    def allows(self, path: str) -> bool:
        if self.denials > 0:
            self.denials -= 1
            return False
        return self.denied not in path


class _Handler(BaseHTTPRequestHandler):
    cloud: ClassVar[Cloud]

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path.startswith("/computeMetadata/v1/"):
            return self._of_metadata(url.path.removeprefix("/computeMetadata/v1/"))
        self.cloud.tokens.append(self.headers.get("Authorization", ""))
        if not self.cloud.allows(url.path):
            return self.send_error(403)
        if url.path.startswith("/compute/"):
            return self._answer(b"{}") if url.path in self.cloud.exist else self.send_error(404)
        content = self.cloud.objects.get(unquote(url.path.rpartition("/o/")[2]))
        # as Cloud Storage answers if the account may not list objects
        return self.send_error(403) if content is None else self._answer(content)

    def _of_metadata(self, path: str) -> None:
        if path.startswith("instance/attributes/"):
            return self._answer(self.cloud.attributes[path.rpartition("/")[2]].encode())
        token = json.dumps({"access_token": "secret-token"})
        known = {
            "instance/name": "maker",
            "instance/zone": "projects/42/zones/us-central1-a",
            "project/project-id": "fluids",
            "instance/service-accounts/default/token": token,
        }
        return self._answer(known[path].encode())

    def do_POST(self) -> None:
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.cloud.allows(url.path):
            return self.send_error(403)
        if url.path.endswith("/setDiskAutoDelete"):
            assert parse_qs(url.query) == {"autoDelete": ["false"], "deviceName": ["hpc-image"]}
            return self._answer(b'{"name": "operation-1"}')
        if url.path == f"{ZONE}/operations/operation-1/wait":
            self.cloud.keeps_disk = True
            self.cloud.calls.append("keep disk")
            return self._answer(b"{}")
        self.cloud.objects[parse_qs(url.query)["name"][0]] = body
        self.cloud.calls.append("report")
        return self._answer(b"{}")

    def do_DELETE(self) -> None:
        if not self.cloud.allows(self.path):
            return self.send_error(403)
        if self.path not in self.cloud.exist:
            return self.send_error(404)
        gone = {self.path} | ({DISK} if self.path == SELF and not self.cloud.keeps_disk else set())
        self.cloud.exist -= gone
        self.cloud.calls.append(f"delete {self.path.split('/')[-2]}")
        return self._answer(b"{}")

    def _answer(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        http.shutdown()


def ended(
    server: str,
    tmp_path: Path,
    bundle: str = 'echo "$1 $HPC_IMAGE_VERSION" >&2\n',
    *,
    step: str = "bake",
    sha256: str = "",
    exist: Collection[str] = (),
    result: bytes | None = None,
    denials: int = 0,
    denied: str = "(nothing)",
) -> Cloud:
    """Run a machine whose bundle has this text. Return what it leaves."""
    attributes = {
        "hpc-config": "cfd-config",
        "hpc-bundle": BUNDLE,
        "hpc-step": step,
        "hpc-version": "0123456789ab",
        "hpc-sha256": sha256 or hashlib.sha256(bundle.encode()).hexdigest(),
        "hpc-image": "cfd-cpu-1",
        "hpc-result": RESULT,
    }
    objects = {BUNDLE: bundle.encode(), **({} if result is None else {RESULT: result})}
    _Handler.cloud = cloud = Cloud(attributes, objects, {SELF, DISK, *exist}, denials, denied)
    urls = {"IMDS": server, "STORAGE": server, "COMPUTE": server}
    known = {**urls, "TRIES": "3", "PAUSE": "0", "POWEROFF": str(tmp_path / "poweroff")}
    (tmp_path / "poweroff").write_text(f"#!/bin/sh\ntouch {tmp_path}/off\n", encoding="utf-8")
    (tmp_path / "poweroff").chmod(0o755)
    subprocess.run(["bash", str(SCRIPT)], env={"PATH": os.environ["PATH"], **known}, check=False, timeout=60)
    assert SELF not in cloud.exist or (tmp_path / "off").exists(), "the machine would run on"
    return cloud


def said(cloud: Cloud) -> str:
    return cloud.objects.get(RESULT, b"").decode()


def test_machine_keeps_its_disk_reports_and_deletes_itself(server: str, tmp_path: Path):
    cloud = ended(server, tmp_path, '[ "$1 $HPC_IMAGE_VERSION" = "bake 0123456789ab" ]\n')
    assert said(cloud) == "ok"
    assert cloud.calls == ["keep disk", "report", "delete instances"]
    assert cloud.exist == {DISK}
    assert {*cloud.tokens} == {"Bearer secret-token"}


def test_failed_bake_reports_its_last_lines_and_leaves_nothing(server: str, tmp_path: Path):
    cloud = ended(server, tmp_path, "seq 100; echo no space left >&2; exit 3\n")
    assert said(cloud).startswith("failed: ")
    assert said(cloud).endswith("no space left")
    assert cloud.exist == set()


def test_image_that_exists_is_not_made_again(server: str, tmp_path: Path):
    cloud = ended(server, tmp_path, f"touch {tmp_path}/ran\n", exist=[IMAGE])
    assert said(cloud) == "ok"
    assert cloud.exist == {IMAGE}
    assert not (tmp_path / "ran").exists()


def test_unanswered_question_for_the_image_is_not_taken_for_a_no(server: str, tmp_path: Path):
    cloud = ended(server, tmp_path, f"touch {tmp_path}/ran\n", exist=[IMAGE], denied="/images/cfd")
    assert said(cloud) == "failed: whether the image exists is unknown"
    assert not (tmp_path / "ran").exists()


def test_test_deletes_the_disk_that_the_image_was_made_of(server: str, tmp_path: Path):
    cloud = ended(server, tmp_path, '[ "$1" = test ]\n', step="test", exist=[IMAGE])
    assert said(cloud) == "ok"
    assert cloud.exist == {IMAGE}


def test_image_that_fails_its_test_is_deleted(server: str, tmp_path: Path):
    cloud = ended(server, tmp_path, "echo no kernel module >&2; exit 1\n", step="test", exist=[IMAGE])
    assert said(cloud) == "failed: no kernel module"
    assert cloud.exist == set()


@pytest.mark.parametrize("step", ["bake", "test"])
def test_step_that_has_a_result_is_not_repeated(server: str, tmp_path: Path, step: str):
    cloud = ended(server, tmp_path, f"touch {tmp_path}/ran\n", step=step, exist=[IMAGE], result=b"ok")
    assert cloud.calls == ["delete instances"]
    assert not (tmp_path / "ran").exists()


def test_other_bundle_than_the_stack_s_is_not_run(server: str, tmp_path: Path):
    cloud = ended(server, tmp_path, f"touch {tmp_path}/ran\n", sha256="0" * 64)
    assert said(cloud).startswith("failed: ")
    assert not (tmp_path / "ran").exists()


def test_machine_waits_for_its_permissions(server: str, tmp_path: Path):
    assert said(ended(server, tmp_path, denials=2)) == "ok"


def test_disk_that_can_t_be_kept_is_a_failure(server: str, tmp_path: Path):
    cloud = ended(server, tmp_path, denied="setDiskAutoDelete")
    assert said(cloud).startswith("failed: ")
    assert cloud.exist == set()


def test_machine_ends_even_if_it_can_never_report(server: str, tmp_path: Path):
    assert said(ended(server, tmp_path, denied="/storage/")) == ""


def test_machine_is_powered_off_if_it_can_t_delete_itself(server: str, tmp_path: Path):
    assert SELF in ended(server, tmp_path, denied="/instances/maker").exist


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_script_has_no_finding_of_shellcheck(script: Path):
    shellcheck = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert shellcheck
    done = subprocess.run([shellcheck, "--shell=bash", script], capture_output=True, text=True, check=False)
    assert done.stdout == ""
