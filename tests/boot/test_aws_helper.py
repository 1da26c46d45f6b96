"""`common/aws.py`, which nodes ask AWS with."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import boto3
import pytest
from botocore.exceptions import ClientError
from iam_allows import policy
from moto import mock_aws

from hpc_components.aws import boot

from .fake_aws import KEYS, FakeAws

NAME = "hpc/lab/ssh-host-config"


@pytest.fixture
def helper(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setenv("HPC_REGION", "us-east-2")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEYS.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS.secret_key)
    monkeypatch.setenv("AWS_SESSION_TOKEN", str(KEYS.token))
    path = Path(boot.__file__).parent / "scripts/common/aws.py"
    spec = importlib.util.spec_from_file_location("node_aws", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.time, "sleep", lambda seconds: None)
    return module


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeAws]:
    with FakeAws({}, {}, region="us-east-2", secrets={NAME: {}}) as fake:
        monkeypatch.setenv("AWS_ENDPOINT_URL", fake.url)
        yield fake


def file(folder: Path, content: bytes) -> str:
    path = folder / content.decode()
    path.write_bytes(content)
    return str(path)


def test_all_have_what_the_first_had(
    helper: ModuleType, aws: FakeAws, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for content in (b"first", b"second"):
        helper.agree(NAME, file(tmp_path, content))
    assert capfdbinary.readouterr().out == b"firstfirst"


def test_two_at_the_same_time_have_the_same(
    helper: ModuleType,
    aws: FakeAws,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """The second has looked before the first has put anything there."""
    looked, current = [], helper.current
    monkeypatch.setattr(helper, "current", lambda name: current(name) if looked else looked.append(name))
    aws.secrets[NAME] = {str(helper.uuid.uuid5(helper.uuid.NAMESPACE_URL, NAME)): b"first"}
    helper.agree(NAME, file(tmp_path, b"second"))
    assert capfdbinary.readouterr().out == b"first"
    assert list(aws.secrets[NAME].values()) == [b"first"]


def test_a_secret_that_stays_empty_is_an_error(helper: ModuleType, aws: FakeAws) -> None:
    with pytest.raises(
        SystemExit,
        match=f"secret {NAME} still has no value after 0 s; on the head node, run `sudo /opt/hpc/bin/hpc-update`",
    ):
        helper.secret(NAME)


@pytest.mark.parametrize(("value", "password"), [(b"plain\n", "plain"), (b'{"password": "in json"}', "in json")])
def test_a_database_password_is_printed(
    helper: ModuleType, aws: FakeAws, capsys: pytest.CaptureFixture[str], value: bytes, password: str
) -> None:
    aws.secrets[NAME] = {"1": value}
    helper.password(NAME)
    assert capsys.readouterr().out == f"{password}\n"


def test_a_missing_database_password_is_refused(helper: ModuleType, aws: FakeAws) -> None:
    with pytest.raises(SystemExit, match="store the password in it"):
        helper.password(NAME)


def test_a_log_fits_into_one_call(helper: ModuleType, aws: FakeAws, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("".join(f"{number} {'x' * 500}\n\n" for number in range(3000)))
    helper.log("/hpc/lab", str(path))
    ((stream, lines),) = aws.logs.items()
    assert stream.startswith("/hpc/lab:")
    assert len(lines) == helper.LOG_EVENTS
    assert lines[-1].startswith("2999 x")
    assert sum(len(json.dumps(line)) + 26 for line in lines) < 1_048_576


@pytest.mark.parametrize("index", ["Packages", "Packages.gz"])
def test_a_package_archive_in_a_bucket_is_copied(helper: ModuleType, tmp_path: Path, index: str) -> None:
    with mock_aws():
        s3 = boto3.client("s3", region_name="us-east-2")
        s3.create_bucket(Bucket="packages", CreateBucketConfiguration={"LocationConstraint": "us-east-2"})
        for key in ("slurm/a.deb", "slurm/pool/b.deb", "other", f"slurm/{index}"):
            s3.put_object(Bucket="packages", Key=key, Body=key.encode())
        helper.mirror("s3://packages/slurm", str(tmp_path))
    there = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert there == {"a.deb", "pool/b.deb", index}


def test_a_secret_that_is_made_later_is_awaited(
    helper: ModuleType, aws: FakeAws, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Login nodes may be faster than the secret, and than the head node that puts a value there."""
    later = iter([{}, {"1": b"the key"}])
    del aws.secrets[NAME]
    monkeypatch.setattr(helper.time, "sleep", lambda seconds: aws.secrets.update({NAME: next(later)}))
    helper.secret(NAME, "900")
    assert capfdbinary.readouterr().out == b"the key"


def test_a_secret_that_is_never_made_is_an_error(helper: ModuleType, aws: FakeAws) -> None:
    with pytest.raises(SystemExit, match=r"secret hpc/lab/other still has no value after 0\.1 s"):
        helper.secret("hpc/lab/other", "0.1")


def test_a_secret_that_is_not_made_yet_may_not_be_read(
    helper: ModuleType, aws: FakeAws, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Policies name secrets with the random end that they do not have before."""
    arn = f"arn:aws:secretsmanager:*:*:secret:{NAME}-??????"
    read = {"Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": arn}
    aws.rights = {"": policy([read])}
    del aws.secrets[NAME]
    monkeypatch.setattr(helper.time, "sleep", lambda seconds: aws.secrets.update({NAME: {"1": b"the key"}}))
    helper.secret(NAME, "900")
    assert capfdbinary.readouterr().out == b"the key"


def test_a_secret_that_may_not_be_read_is_waited_for_some_minutes(
    helper: ModuleType, aws: FakeAws, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(helper.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(helper.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + 60 * seconds))
    aws.rights = {"": lambda *asked: False}
    with pytest.raises(ClientError, match="AccessDenied"):
        helper.secret(NAME, "900")
    assert helper.UNMADE_SECONDS <= now[0] < 900
