"""Answers of services that are cut off: the connection ends before what was announced has come."""

import http.client
import importlib
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import ModuleType

import pytest
from serving import HttpServer, serving

from hpc_components.aws import boot as aws
from hpc_components.azure import boot as azure
from hpc_components.gcp import boot as gcp


class Handler(BaseHTTPRequestHandler):
    """Cuts the first answer off, and gives the next one whole."""

    asked = 0

    def do_GET(self) -> None:
        Handler.asked += 1
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"whole" if Handler.asked > 1 else b"who")

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    Handler.asked = 0
    with serving(HttpServer(("127.0.0.1", 0), Handler)) as running:
        yield f"http://127.0.0.1:{running.server_port}/x"


def helper(boot: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(boot.__file__ or "").parent / "scripts/common")
    monkeypatch.delitem(sys.modules, name, raising=False)
    module = importlib.import_module(name)
    monkeypatch.setattr(module, "token", lambda *_: "token", raising=False)
    monkeypatch.setattr("time.sleep", lambda _: None)
    return module


def test_google_is_asked_again(server, monkeypatch):
    assert helper(gcp, "google_rest", monkeypatch).ask("GET", server) == b"whole"


def test_azure_is_asked_again(server, monkeypatch):
    assert helper(azure, "azure_rest", monkeypatch).ask("GET", server, "https://vault") == b"whole"


def test_aws_is_asked_again(server, monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "HPC_CONFIG", "HPC_REGION"):
        monkeypatch.setenv(name, "us-east-2")
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    helper(aws, "aws", monkeypatch).published("people.json", str(tmp_path / "people"), "0")
    assert (tmp_path / "people").read_bytes() == b"whole"


def cut(*_: object) -> None:
    raise http.client.IncompleteRead(b"who", 2)


def test_meanwhile_the_last_token_of_google_is_lent(monkeypatch):
    data = helper(gcp, "data", monkeypatch)
    before = data.Lent("last", time.time() + 60)
    assert data.renewed(before, cut).token == "last"


def test_meanwhile_the_last_token_of_azure_is_lent(monkeypatch):
    data = helper(azure, "data", monkeypatch)
    before = data.Lent(200, b"last", time.time() + 60, 0.0)
    assert data.renewed(before, cut, "https://storage").body == b"last"
