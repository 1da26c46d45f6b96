"""How people and jobs get at the cluster's buckets on Azure: what `common/data.py` lends, and the step for it."""

import importlib.util
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import DefaultAzureCredential, ManagedIdentityCredential

from hpc_components.azure import boot

from .azure_stage import IDENTITIES, azure_tags
from .fake_azure import FakeAzure
from .fake_imds import STORAGE, Vm
from .lending import lending_node
from .sandbox import Sandbox

Make = Callable[..., Sandbox]

SCRIPTS = Path(boot.__file__).parent / "scripts/common"
DATA = {"hpc:data-identity": IDENTITIES["data"]}
SCOPE = f"{STORAGE}.default"


@pytest.fixture
def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("node_data", SCRIPTS / "data.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def lender(program: ModuleType, azure: FakeAzure, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A node that lends, as the environment of a job says."""
    azure.imds.machines[""] = Vm(azure_tags("compute", "", **DATA))
    azure.blob.containers["data"] = {"shard-0": b"tokens"}
    monkeypatch.setattr(program, "IMDS", azure.url)
    server = program.Lender(("127.0.0.1", 0), IDENTITIES["data"], program.metadata_token(IDENTITIES["data"]))
    for name in ("AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("IDENTITY_ENDPOINT", f"http://127.0.0.1:{server.server_port}/token")
    monkeypatch.setenv("IDENTITY_HEADER", "hpc")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def read(azure: FakeAzure, path: str, token: str) -> bytes:
    """A blob, as an SDK asks for it."""
    headers = {"Authorization": f"Bearer {token}", "x-ms-version": "2021-08-06"}
    with urllib.request.urlopen(urllib.request.Request(f"{azure.url}/{path}", headers=headers)) as reply:
        return reply.read()


@pytest.mark.parametrize("credential", [ManagedIdentityCredential, DefaultAzureCredential])
def test_a_job_reads_its_bucket_and_gets_nothing_else(
    azure: FakeAzure, lender: Any, credential: Callable[[], Any]
) -> None:
    """As Azure's SDKs do it, which find the lender by themselves."""
    token = credential().get_token(SCOPE)
    assert read(azure, "data/shard-0", token.token) == b"tokens"
    assert token.expires_on > time.time() + 3600
    with pytest.raises(urllib.error.HTTPError, match="403"):
        read(azure, "config/manifest", token.token)
    assert {given.client for given in azure.imds.tokens.values()} == {IDENTITIES["data"]}


def test_no_other_identity_is_lent(azure: FakeAzure, lender: Any) -> None:
    with pytest.raises(ClientAuthenticationError, match="this node lends only identity 1d0000"):
        ManagedIdentityCredential(client_id=IDENTITIES["compute"]).get_token(SCOPE)
    assert ManagedIdentityCredential(client_id=IDENTITIES["data"]).get_token(SCOPE).token
    assert {given.client for given in azure.imds.tokens.values()} == {IDENTITIES["data"]}


def test_an_identity_that_the_machine_has_not_yet_is_told_to_the_job(azure: FakeAzure, lender: Any) -> None:
    azure.imds.machines[""] = Vm(azure_tags("compute", ""))
    with pytest.raises(ClientAuthenticationError, match="Identity not found"):
        ManagedIdentityCredential().get_token(SCOPE)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {"X-IDENTITY-HEADER": "hpc"}, 404),
        ("/metadata/identity/oauth2/token?resource=x", {"X-IDENTITY-HEADER": "hpc"}, 404),
        ("/token?resource=x", {}, 403),
        ("/token", {"X-IDENTITY-HEADER": "hpc"}, 400),
    ],
)
def test_only_one_thing_is_served(lender: Any, path: str, headers: dict[str, str], status: int) -> None:
    request = urllib.request.Request(f"http://127.0.0.1:{lender.server_port}{path}", headers=headers)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == status
    assert json.loads(refused.value.read())["statusCode"] == status


def test_all_ranks_of_a_job_ask_the_metadata_service_once(azure: FakeAzure, lender: Any) -> None:
    """It refuses more than some requests a second."""
    with ThreadPoolExecutor(20) as pool:
        said = set(pool.map(lambda _: lender.reply(STORAGE), range(100)))
    assert len(said) == len(azure.imds.tokens) == 1


def test_a_token_is_lent_to_its_end_when_there_is_no_newer_one(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_790_000_000.0]
    monkeypatch.setattr(program.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(program.time, "time", lambda: now[0])
    given = {"access_token": "T", "expires_on": "1790003600", "resource": STORAGE, "token_type": "Bearer"}

    def ask(resource: str) -> dict[str, Any]:
        if now[0] > 1_790_000_000:
            raise OSError("no route")
        return {**given, "client_id": "c"}

    first = program.renewed(None, ask, STORAGE)
    assert (first.status, first.until - now[0]) == (200, program.RENEWED_SECONDS)
    now[0] += 3599
    second = program.renewed(first, ask, STORAGE)
    assert (second.status, second.body, second.until - now[0]) == (200, first.body, program.PATIENCE_SECONDS)
    now[0] += 1
    assert program.renewed(second, ask, STORAGE).status == 503


def test_names_that_anybody_asks_for_are_not_kept_for_ever(program: ModuleType, lender: Any) -> None:
    for number in range(3 * program.MOST_RESOURCES):
        lender.reply(f"https://{number}.example.org")
    assert len(lender._lent) <= program.MOST_RESOURCES


@pytest.fixture
def box(azure_sandbox: Make, azure: FakeAzure) -> tuple[Sandbox, int]:
    azure.imds.machines[""] = Vm(azure_tags("compute", "", **DATA))
    return lending_node(azure_sandbox, boot, "data https://lab.blob.core.windows.net/data\n")


def test_the_step_writes_what_jobs_need(box: tuple[Sandbox, int]) -> None:
    node, port = box
    assert node.then("common/data.sh", "data", "echo again; data").splitlines()[-1] == "again"
    assert node.read("etc/hpc/data.env") == f"HPC_DATA_IDENTITY={IDENTITIES['data']}\n"
    assert node.read("etc/environment").splitlines()[2:] == [
        f"IDENTITY_ENDPOINT=http://127.0.0.1:{port}/token",
        "IDENTITY_HEADER=hpc",
        "AZCOPY_AUTO_LOGIN_TYPE=MSI",
    ]


def test_without_an_identity_nothing_is_lent(box: tuple[Sandbox, int], azure: FakeAzure) -> None:
    node, _ = box
    node.step("common/data.sh", "data")
    azure.imds.machines[""] = Vm(azure_tags("compute", ""))
    node.step("common/data.sh", "data")
    assert not (node.root / "etc/hpc/data.env").exists()
    assert node.read("etc/environment") == "BASH_ENV=/etc/hpc/bash_env\nPATH=/usr/bin\n"
    assert node.step("common/data.sh", "data") == ""


def test_a_node_without_the_identity_is_no_node(box: tuple[Sandbox, int], azure: FakeAzure) -> None:
    node, _ = box
    azure.imds.machines[""] = Vm(azure_tags("compute", "", **DATA), lacks=frozenset({IDENTITIES["data"]}))
    assert node.failing("common/data.sh", "data") == "no token for the buckets: Identity not found"
    assert "IDENTITY" not in node.read("etc/environment")
