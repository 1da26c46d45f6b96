"""How people and jobs get at the cluster's buckets: what `common/data.py` lends, and the step that starts it."""

import importlib.util
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, CredentialRetrievalError
from iam_allows import policy
from planned_aws import DataRole
from serving import serving

from hpc_components.aws import boot
from hpc_components.aws.identity.data_identity import bucket_statements
from hpc_components.aws.ports import BucketAccess, BucketRef

from .fake_aws import KEYS, FakeAws, Instance
from .fake_express import FakeExpress
from .lending import lending_node
from .sandbox import Sandbox

Make = Callable[..., Sandbox]

SCRIPTS = Path(boot.__file__).parent / "scripts/common"
ROLE = "arn:aws:iam::123456789012:role/lab/data/debug/lab-debug-data-1a2b3c4"
NODE = "arn:aws:iam::123456789012:role/lab/compute/lab-debug-role-1a2b3c4"
READS = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::lab-data-1a2b3c4/*"}
PATIENT = Config(retries={"total_max_attempts": 1})


@pytest.fixture
def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("node_data", SCRIPTS / "data.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def aws() -> Iterator[FakeAws]:
    role = DataRole(ROLE, (ROLE,), (NODE,), policy([READS]))
    with FakeAws(
        {"hpc:data-role": ROLE},
        {"manifest": b"not for people"},
        region="us-east-2",
        secrets={"munge": {"1": b"not for people"}},
        role_arns={"": NODE},
        data_roles=[role],
        buckets={"lab-data-1a2b3c4": {"shard-0": b"tokens"}},
        arns={"lab-data-1a2b3c4": "arn:aws:s3:::lab-data-1a2b3c4", "bucket": "arn:aws:s3:::config"},
    ) as fake:
        yield fake


def node(aws: FakeAws, service: str) -> Any:
    """A client with the credentials of the node's own role."""
    keys = {"aws_access_key_id": KEYS.access_key, "aws_secret_access_key": KEYS.secret_key}
    return boto3.client(
        service, region_name="us-east-2", endpoint_url=aws.url, config=PATIENT, aws_session_token=KEYS.token, **keys
    )


@pytest.fixture
def lender(program: ModuleType, aws: FakeAws, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """A node that lends, and nothing else in the environment from which credentials could come."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with serving(program.Lender(("127.0.0.1", 0), program.Handler)) as server:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"http://127.0.0.1:{server.server_port}/credentials")
        yield server


def job(aws: FakeAws, service: str) -> Any:
    """A client as a job makes one: it finds its credentials by itself."""
    return boto3.session.Session().client(service, region_name="us-east-2", endpoint_url=aws.url, config=PATIENT)


def test_a_job_reads_its_bucket_and_gets_nothing_else(program: ModuleType, aws: FakeAws, lender: Any) -> None:
    lender.lent, pause = program.renewed(program.NOTHING, lambda: node(aws, "sts"), ROLE, "debug-1")
    assert pause == program.RENEWED_SECONDS
    s3 = job(aws, "s3")
    assert s3.get_object(Bucket="lab-data-1a2b3c4", Key="shard-0")["Body"].read() == b"tokens"
    with pytest.raises(ClientError, match="AccessDenied"):
        s3.get_object(Bucket="config", Key="manifest")
    with pytest.raises(ClientError, match="AccessDenied"):
        job(aws, "secretsmanager").get_secret_value(SecretId="munge")
    assert b"not for" in node(aws, "secretsmanager").get_secret_value(SecretId="munge")["SecretBinary"]


@pytest.mark.parametrize("writes", [False, True])
def test_a_job_reads_a_directory_bucket_and_writes_where_it_may(
    program: ModuleType, aws: FakeAws, lender: Any, writes: bool
) -> None:
    """By sessions, which SDKs ask for by themselves; the statements are those of the plan."""
    name, arn = (
        "lab-fast-3--use2-az2--x-s3",
        "arn:aws:s3express:us-east-2:123456789012:bucket/lab-fast-3--use2-az2--x-s3",
    )
    shards = BucketRef(
        name="fast", buckets=(name,), arns=(arn.replace("-3--", "-?--").replace("us-east-2", "*"),), express=True
    )
    access = BucketAccess(write=(shards,)) if writes else BucketAccess(read=(shards,))
    allowed = policy([statement.to_dict() for statement in bucket_statements(access)])
    aws.data_roles = [DataRole(ROLE, (ROLE,), (NODE,), allowed)]
    lender.lent, _ = program.renewed(program.NOTHING, lambda: node(aws, "sts"), ROLE, "debug-1")
    with FakeExpress(name, arn, aws.worn, {"shard-0": b"tokens"}).served() as url:
        s3 = boto3.session.Session().client("s3", region_name="us-east-2", endpoint_url=url, config=PATIENT)
        assert s3.get_object(Bucket=name, Key="shard-0")["Body"].read() == b"tokens"
        if writes:
            s3.put_object(Bucket=name, Key="shard-1", Body=b"more")
            assert b"more" in s3.get_object(Bucket=name, Key="shard-1")["Body"].read()
        else:
            with pytest.raises(ClientError, match="AccessDenied"):
                s3.put_object(Bucket=name, Key="shard-1", Body=b"more")


def test_sdks_find_new_credentials_before_theirs_end(program: ModuleType) -> None:
    """botocore asks again when a quarter of an hour is left; so there must be more at any time."""
    assert program.LENT_SECONDS - program.RENEWED_SECONDS > 15 * 60 + program.PATIENCE_SECONDS


def test_only_one_thing_is_served(lender: Any) -> None:
    for path in ("/", "/credentials/", "/latest/meta-data/iam/security-credentials/"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{lender.server_port}{path}")


def test_a_role_that_may_not_be_taken_is_told_to_the_job(program: ModuleType, aws: FakeAws, lender: Any) -> None:
    aws.role_arns = {}
    lender.lent, pause = program.renewed(program.NOTHING, lambda: node(aws, "sts"), ROLE, "debug-1")
    assert pause == program.PATIENCE_SECONDS
    with pytest.raises(CredentialRetrievalError, match=r"not authorized to perform: sts:AssumeRole on arn:aws:iam"):
        job(aws, "s3").get_object(Bucket="lab-data-1a2b3c4", Key="shard-0")


def test_credentials_are_lent_to_their_end_when_there_are_no_newer_ones(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(program.time, "monotonic", lambda: now[0])

    class Sts:
        fails = False

        def assume_role(self, **asked: Any) -> dict[str, Any]:
            if self.fails:
                raise ClientError({"Error": {"Code": "Throttling", "Message": "slow down"}}, "AssumeRole")
            assert asked == {"RoleArn": ROLE, "RoleSessionName": "debug-1", "DurationSeconds": 3600}
            given = {"AccessKeyId": "A", "SecretAccessKey": "S", "SessionToken": "T"}
            return {"Credentials": {**given, "Expiration": datetime(2026, 1, 1, 12, tzinfo=UTC)}}

    sts = Sts()
    first, _ = program.renewed(program.NOTHING, lambda: sts, ROLE, "debug-1")
    assert json.loads(first.reply(1000.0)[1])["Expiration"] == "2026-01-01T12:00:00Z"
    sts.fails, now[0] = True, 3400.0
    second, pause = program.renewed(first, lambda: sts, ROLE, "debug-1")
    assert (second.reply(4599.0)[0], pause) == (200, program.PATIENCE_SECONDS)
    status, body = second.reply(4600.0)
    assert (status, "slow down" in json.loads(body)["Message"]) == (503, True)


@pytest.fixture
def lending(sandbox: Make) -> tuple[Sandbox, int]:
    return lending_node(sandbox, boot, "data s3://lab-data-1a2b3c4\n")


@pytest.fixture
def box(lending: tuple[Sandbox, int]) -> Sandbox:
    return lending[0]


def test_the_step_writes_what_jobs_need(lending: tuple[Sandbox, int]) -> None:
    box, port = lending
    said = box.then("common/data.sh", "data", "echo again; data")
    assert said.splitlines()[-1] == "again"
    assert box.read("etc/hpc/buckets") == "data s3://lab-data-1a2b3c4\n"
    assert box.read("etc/hpc/data.env") == f"HPC_DATA_ROLE={ROLE}\nHPC_REGION=us-east-2\n"
    assert box.read("etc/environment").splitlines() == [
        "BASH_ENV=/etc/hpc/bash_env",
        "PATH=/usr/bin",
        f"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1:{port}/credentials",
        "AWS_REGION=us-east-2",
        "AWS_DEFAULT_REGION=us-east-2",
    ]


def test_without_a_role_nothing_is_lent(box: Sandbox, aws: FakeAws) -> None:
    box.step("common/data.sh", "data")
    aws.tags.clear()
    box.step("common/data.sh", "data")
    assert not (box.root / "etc/hpc/data.env").exists()
    assert box.read("etc/environment") == "BASH_ENV=/etc/hpc/bash_env\nPATH=/usr/bin\n"
    assert box.step("common/data.sh", "data") == ""


def test_a_node_whose_role_can_not_be_taken_is_no_node(box: Sandbox, aws: FakeAws) -> None:
    aws.rights = {"compute": policy([])}
    aws.instances["127.0.0.1"] = Instance({"hpc:role": "compute", "hpc:data-role": ROLE})
    reason = box.failing("common/data.sh", "data")
    assert reason.startswith(f"no credentials for the buckets: {ROLE}: An error occurred (AccessDenied)")
    assert "AWS_CONTAINER" not in box.read("etc/environment")


def test_who_runs_the_scripts_by_hand_is_not_taken_for_a_job(box: Sandbox) -> None:
    """With people's role, the node would be refused its own secrets."""
    box.write("opt/hpc/config/manifest", "")
    box.environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://127.0.0.1:9/credentials"
    ran = box.run("bash", "-c", "remove_old() { :; }; source common/run.sh; env")
    assert "AWS_CONTAINER" not in ran.stdout
    assert "HOME=/root" in ran.stdout


def test_an_image_of_a_node_lends_nothing_of_its_node(box: Sandbox) -> None:
    box.fake(
        "systemctl", 'if [[ $1 == list-unit-files ]]; then grep -o "hpc-data" <<<"$*"; else echo "$@" >>/did; fi'
    )
    box.step("common/system.sh", "fresh_start")
    assert box.read("did") == "disable -q --now --no-reload hpc-data\n"
