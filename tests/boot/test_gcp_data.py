"""How people and jobs on Google Cloud get at the cluster's buckets: what `common/data.py` lends, and its step."""

import importlib
import importlib.util
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

import google.auth
import google.auth.compute_engine._metadata
import google.auth.transport.requests
import pytest
from google.auth.compute_engine import IDTokenCredentials
from google.auth.exceptions import GoogleAuthError

from hpc_components.gcp import boot

from .fake_gcp import FakeGcp
from .fake_metadata import GcpMachine
from .gcp_rights import ACCOUNTS, PROJECT
from .gcp_stage import gcp_metadata
from .lending import lending_node
from .sandbox import Sandbox

Make = Callable[..., Sandbox]

SCRIPTS = Path(boot.__file__).parent / "scripts/common"
DATA = {"hpc_data_account": ACCOUNTS["data"]}
BUCKET = "lab-data-1a2b3c"


@pytest.fixture
def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("node_data", SCRIPTS / "data.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def lender(program: ModuleType, gcp: FakeGcp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """A node that lends, as the environment of a job says."""
    gcp.metadata.machines[""] = GcpMachine(gcp_metadata("compute", **DATA))
    gcp.storage.buckets[BUCKET] = {"shard-0": b"tokens"}
    monkeypatch.setattr(program, "IMDS", gcp.url)
    monkeypatch.setattr(program, "SIGNER", gcp.url)
    server = program.Lender(("127.0.0.1", 0), ACCOUNTS["data"], PROJECT, program.tokens_of(ACCOUNTS["data"]))
    monkeypatch.setenv("HOME", str(tmp_path))  # with no credentials of somebody's own
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "CLOUDSDK_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name in ("GCE_METADATA_HOST", "GCE_METADATA_IP", "GCE_METADATA_ROOT"):
        monkeypatch.setenv(name, f"127.0.0.1:{server.server_port}")
    importlib.reload(google.auth.compute_engine._metadata)  # reads the environment once
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def read(gcp: FakeGcp, bucket: str, name: str, token: str) -> bytes:
    """An object, as a library asks for it."""
    url = f"{gcp.url}/storage/v1/b/{bucket}/o/{quote(name, safe='')}?alt=media"
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})) as reply:
        return reply.read()


def test_a_job_reads_its_bucket_and_gets_nothing_else(gcp: FakeGcp, lender: Any) -> None:
    """As Google's libraries do it, which find the lender by themselves."""
    credentials, project = google.auth.default(scopes=["https://www.googleapis.com/auth/devstorage.read_only"])
    credentials.refresh(google.auth.transport.requests.Request())
    assert (project, credentials.service_account_email) == (PROJECT, ACCOUNTS["data"])
    assert read(gcp, BUCKET, "shard-0", credentials.token) == b"tokens"
    assert not credentials.expired
    with pytest.raises(urllib.error.HTTPError, match="403"):
        read(gcp, "lab-config-1a2b3c", "manifest", credentials.token)
    assert set(gcp.metadata.tokens.values()) == {ACCOUNTS["compute"], ACCOUNTS["data"]}
    assert gcp.metadata.tokens[credentials.token] == ACCOUNTS["data"], "the node's own stays with it"


def test_google_s_libraries_take_it_for_google_cloud(lender: Any) -> None:
    metadata = google.auth.compute_engine._metadata
    request = google.auth.transport.requests.Request()
    assert metadata.ping(request)
    assert metadata.get_project_id(request) == PROJECT
    assert metadata.get_universe_domain(request) == "googleapis.com"


def test_nobody_is_given_a_proof_of_who_he_is(lender: Any) -> None:
    """An identity token would be the account's signature under anything."""
    request = google.auth.transport.requests.Request()
    with pytest.raises(GoogleAuthError):
        IDTokenCredentials(request, "https://example.org", use_metadata_identity_endpoint=True).refresh(request)


def test_an_account_that_may_not_be_used_yet_is_told_to_the_job(gcp: FakeGcp, lender: Any) -> None:
    gcp.grants[ACCOUNTS["compute"]] = frozenset()
    request = urllib.request.Request(
        f"http://127.0.0.1:{lender.server_port}/computeMetadata/v1/instance/service-accounts/default/token",
        headers={"Metadata-Flavor": "Google"},
    )
    with pytest.raises(urllib.error.HTTPError, match="503") as refused:
        urllib.request.urlopen(request)
    assert refused.value.read().startswith(b"Permission 'iam.serviceAccounts.getAccessToken' denied")


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("instance/service-accounts/default/token", {}, 403),
        ("instance/service-accounts/default/token", {"Metadata-Flavor": "Google", "X-Forwarded-For": "1.2.3.4"}, 403),
        ("instance/service-accounts/default/identity?audience=x", {"Metadata-Flavor": "Google"}, 404),
        (f"instance/service-accounts/{ACCOUNTS['compute']}/token", {"Metadata-Flavor": "Google"}, 404),
        ("instance/attributes/ssh-keys", {"Metadata-Flavor": "Google"}, 404),
        ("instance/?recursive=true", {"Metadata-Flavor": "Google"}, 404),
        ("project/attributes/?recursive=true", {"Metadata-Flavor": "Google"}, 404),
        ("instance/service-accounts/default/", {"Metadata-Flavor": "Google"}, 200),
    ],
)
def test_only_the_account_is_served(lender: Any, path: str, headers: dict[str, str], status: int) -> None:
    url = f"http://127.0.0.1:{lender.server_port}/computeMetadata/v1/{path}"
    request = urllib.request.Request(url, headers=headers)
    try:
        found = urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        found = error.code
    assert found == status


def test_all_ranks_of_a_job_make_one_token(gcp: FakeGcp, lender: Any) -> None:
    with ThreadPoolExecutor(20) as pool:
        said = set(pool.map(lambda _: lender.lent().token, range(100)))
    assert len(said) == 1
    assert list(gcp.metadata.tokens.values()) == [ACCOUNTS["compute"], ACCOUNTS["data"]]


def test_libraries_find_a_new_token_before_theirs_ends(program: ModuleType) -> None:
    """They ask again when less than four minutes are left; so there must be more at any time."""
    assert program.LENT_SECONDS - program.RENEWED_SECONDS > 225 + program.PATIENCE_SECONDS


def test_a_token_is_lent_to_its_end_when_there_is_no_newer_one(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_790_000_000.0]
    monkeypatch.setattr(program.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(program.time, "time", lambda: now[0])

    def make() -> tuple[str, float]:
        if now[0] > 1_790_000_000:
            raise OSError("no route")
        return "T", 1_790_003_600.0

    first = program.renewed(program.Lent(), make)
    assert (first.token, first.until - now[0]) == ("T", program.RENEWED_SECONDS)
    now[0] += 3599
    second = program.renewed(first, make)
    assert (second.token, second.until - now[0]) == ("T", program.PATIENCE_SECONDS)
    now[0] += 1
    third = program.renewed(second, make)
    assert (third.token, third.why) == ("", "can't create a token: no route")


@pytest.fixture
def box(gcp_sandbox: Make, gcp: FakeGcp) -> tuple[Sandbox, int]:
    gcp.metadata.machines[""] = GcpMachine(gcp_metadata("compute", **DATA))
    return lending_node(gcp_sandbox, boot, f"data gs://{BUCKET}\n")


def test_the_step_writes_what_jobs_need(box: tuple[Sandbox, int]) -> None:
    node, port = box
    assert node.then("common/data.sh", "data", "echo again; data").splitlines()[-1] == "again"
    assert node.read("etc/hpc/data.env") == f"HPC_DATA_ACCOUNT={ACCOUNTS['data']}\nHPC_PROJECT={PROJECT}\n"
    assert node.read("etc/environment").splitlines()[2:] == [
        f"GCE_METADATA_{name}=127.0.0.1:{port}" for name in ("HOST", "IP", "ROOT")
    ]


def test_without_an_account_nothing_is_lent(box: tuple[Sandbox, int], gcp: FakeGcp) -> None:
    node, _ = box
    node.step("common/data.sh", "data")
    gcp.metadata.machines[""] = GcpMachine(gcp_metadata("compute"))
    node.step("common/data.sh", "data")
    assert not (node.root / "etc/hpc/data.env").exists()
    assert node.read("etc/environment") == "BASH_ENV=/etc/hpc/bash_env\nPATH=/usr/bin\n"
    assert node.step("common/data.sh", "data") == ""


def test_a_node_that_can_not_use_the_account_is_no_node(box: tuple[Sandbox, int], gcp: FakeGcp) -> None:
    node, _ = box
    gcp.grants[ACCOUNTS["compute"]] = frozenset()
    node.write("impatient", "sleep() { read -rt 0.3 <> <(:) || try=$((try + 12)); }\n")  # else it asks 210 times
    node.environment["BASH_ENV"] = "/impatient"
    reason = node.failing("common/data.sh", "data")
    assert reason.startswith("no token for the buckets: Permission 'iam.serviceAccounts.getAccessToken' denied")
    assert "GCE_METADATA" not in node.read("etc/environment")


def test_who_runs_the_scripts_by_hand_is_not_taken_for_a_job(gcp_sandbox: Make, gcp: FakeGcp) -> None:
    """With people's account, the node would be refused its own secrets."""
    node = gcp_sandbox("compute")
    node.environment["GCE_METADATA_HOST"] = "127.0.0.1:9"
    ran = node.run("bash", "-c", "source common/cluster.env; source common/cloud.sh; env")
    assert "GCE_METADATA" not in ran.stdout


def test_time_is_read_as_google_writes_it(program: ModuleType, gcp: FakeGcp, lender: Any) -> None:
    assert time.time() + 3500 < lender.lent().ends <= time.time() + 3600
