"""The startup script of machines that make images, with a false metadata server and bucket."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
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


@dataclass
class Cloud:
    attributes: dict[str, str]
    objects: dict[str, bytes]
    denials: int = 0
    """How many requests to the bucket fail before a permission takes effect."""
    tokens: list[str] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    cloud: ClassVar[Cloud]

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path.startswith("/computeMetadata/v1/instance/attributes/"):
            return self._answer(self.cloud.attributes[url.path.rpartition("/")[2]].encode())
        if url.path == "/computeMetadata/v1/instance/id":
            return self._answer(b"42")
        if url.path.endswith("/token"):
            return self._answer(json.dumps({"access_token": "secret-token"}).encode())
        return self._of_bucket(self.cloud.objects.get(unquote(url.path.rpartition("/o/")[2])))

    def do_POST(self) -> None:
        name = parse_qs(urlsplit(self.path).query)["name"][0]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self._of_bucket(b"{}"):
            self.cloud.objects[name] = body

    def _of_bucket(self, content: bytes | None) -> bool:
        self.cloud.tokens.append(self.headers.get("Authorization", ""))
        if self.cloud.denials > 0:
            self.cloud.denials -= 1
            content = None
        if content is None:
            self.send_error(403)
            return False
        return self._answer(content)

    def _answer(self, content: bytes) -> bool:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        return True

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        http.shutdown()


def outcome(server: str, tmp_path: Path, bundle: str, *, sha256: str = "", denials: int = 0) -> tuple[str, Cloud]:
    """Run a machine whose bundle has this text. Return its result, and the cloud."""
    attributes = {
        "hpc-config": "cfd-config",
        "hpc-bundle": BUNDLE,
        "hpc-step": "bake",
        "hpc-version": "0123456789ab",
        "hpc-sha256": sha256 or hashlib.sha256(bundle.encode()).hexdigest(),
    }
    _Handler.cloud = cloud = Cloud(attributes, {BUNDLE: bundle.encode()}, denials)
    off = tmp_path / "off"
    known = {"IMDS": server, "GOOGLEAPIS": server, "TRIES": "3", "PAUSE": "0", "POWEROFF": str(tmp_path / "poweroff")}
    (tmp_path / "poweroff").write_text(f"#!/bin/sh\ntouch {off}\n", encoding="utf-8")
    (tmp_path / "poweroff").chmod(0o755)
    subprocess.run(["bash", str(SCRIPT)], env={"PATH": os.environ["PATH"], **known}, check=False, timeout=60)
    assert off.exists(), "the machine would run on"
    return cloud.objects.get("images/cpu-0123456789ab-bake-42.txt", b"").decode(), cloud


def test_machine_writes_ok_if_the_step_succeeds(server: str, tmp_path: Path):
    said, cloud = outcome(server, tmp_path, 'echo "$1 $HPC_IMAGE_VERSION" >&2; [ "$1" = bake ]\n')
    assert said == "ok"
    assert set(cloud.tokens) == {"Bearer secret-token"}


def test_failed_step_reports_its_last_lines(server: str, tmp_path: Path):
    said, _ = outcome(server, tmp_path, "seq 100; echo no space left >&2; exit 3\n")
    assert said.startswith("failed: ")
    assert said.endswith("no space left")


def test_other_bundle_than_the_stack_s_is_not_run(server: str, tmp_path: Path):
    said, _ = outcome(server, tmp_path, f"touch {tmp_path}/ran\n", sha256="0" * 64)
    assert said.startswith("failed: ")
    assert not (tmp_path / "ran").exists()


def test_machine_waits_for_its_permissions(server: str, tmp_path: Path):
    assert outcome(server, tmp_path, "exit 0\n", denials=2)[0] == "ok"


def test_machine_powers_off_even_if_it_can_never_report(server: str, tmp_path: Path):
    assert outcome(server, tmp_path, "exit 0\n", denials=100)[0] == ""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_script_has_no_finding_of_shellcheck(script: Path):
    shellcheck = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert shellcheck
    done = subprocess.run([shellcheck, "--shell=bash", script], capture_output=True, text=True, check=False)
    assert done.stdout == ""
