"""Each right of the nodes' roles on AWS is needed at boot, and its lack is seen: the tables say by what.

Those with which the head node launches are taken away in `elastic/drivers/test_aws_rights.py`.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from botocore.exceptions import ClientError
from iam_allows import Part, parts, policy, without
from planned_aws import Planned

from hpc_components.aws import boot
from hpc_components.aws.cluster import Cluster
from hpc_components.boot.manifest import MANIFEST
from hpc_components.preview.record import record

from .cluster import PEOPLE, spec
from .fake_aws import KEYS, FakeAws
from .node_programs import CONFIG_OBJECTS, Act, configuration, failing, load_program, pass_no_time

SCRIPTS = Path(boot.__file__).parent / "scripts/common"
PASSWORD = "arn:aws:secretsmanager:us-east-2:123456789012:secret:slurmdbd-AbCdEf"

SECRETS = ("munge", "jwt", "ssh-host")

EVERY = {
    "ReadConfig s3:GetObject": {"configuration", "missing object", "published file", "unpublished file"},
    "ListConfig s3:ListBucket": {"missing object", "unpublished file"},
    "WriteLog logs:CreateLogStream": {"log"},
    "WriteLog logs:PutLogEvents": {"log"},
}
NEEDED: Mapping[str, Mapping[str, set[str]]] = {
    "head": {
        **EVERY,
        "PublishFiles s3:PutObject": {"publishing"},
        "KeepSecrets secretsmanager:GetSecretValue munge": {"munge key"},
        "KeepSecrets secretsmanager:PutSecretValue munge": {"munge key"},
        "KeepSecrets secretsmanager:GetSecretValue jwt": {"key of tokens"},
        "KeepSecrets secretsmanager:PutSecretValue jwt": {"key of tokens"},
        "ReadSecrets secretsmanager:GetSecretValue": {"password"},
    },
    "login": {
        **EVERY,
        "ReadMungeKey secretsmanager:GetSecretValue": {"munge key"},
        "ShareHostKeys secretsmanager:GetSecretValue": {"host keys"},
        "ShareHostKeys secretsmanager:PutSecretValue": {"host keys"},
        "LendDataRole sts:AssumeRole": {"lending"},
    },
    "debug": {
        **EVERY,
        "ReadMungeKey secretsmanager:GetSecretValue": {"munge key"},
        "LendDataRole sts:AssumeRole": {"lending"},
    },
}
"""What fails without each right, by whose role has it; `debug` is the queue."""

OF_OTHERS = ("ec2:", "iam:PassRole", "ssm:", "ssmmessages:")
"""What begins so is for launches, or for AWS's own agent, which is not here: its source is beside the statement."""

LENT = {
    "s3:AbortMultipartUpload": "AbortMultipartUpload",
    "s3:DeleteObject": "DeleteObject",
    "s3:GetBucketLocation": "GetBucketLocation",
    "s3:GetObject": "GetObject",
    "s3:GetObjectTagging": "CopyObject",
    "s3:ListBucket": "ListObjectsV2",
    "s3:ListMultipartUploadParts": "ListParts",
    "s3:PutObject": "PutObject",
    "s3:PutObjectTagging": "CopyObject",
    "s3:RestoreObject": "RestoreObject",
}
"""An operation of people and jobs that needs each right that they are lent.
Source: S3 user guide, "Required permissions for Amazon S3 API operations", read 2026-11-24."""


@pytest.fixture(scope="module")
def plan() -> Planned:
    database = {"accounting": {"database": {"host": "db.example.org", "password_secret": PASSWORD}}}
    described = spec(slurm={"version": "24.11", **database}, people=PEOPLE)
    return Planned(record(lambda: Cluster("lab", described), preview=False))


def label(plan: Planned, part: Part) -> str:
    """What `NEEDED` calls a right."""
    sid, action, resource = part
    of = [name.split("/")[2].removesuffix(f"-{plan.bucket}") for name, at in plan.secrets.items() if at == resource]
    return " ".join((sid, action, *(of if sid == "KeepSecrets" else [])))


def acts(role: str, plan: Planned, aws: FakeAws, folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Act]:
    """What a node of this role does at boot."""
    aws.secrets = {name: {} for name in plan.secrets} | {PASSWORD: {"1": b"secret"}}
    munge, jwt, hosts = (next(n for n in plan.secrets if n.startswith(f"hpc/lab/{w}-")) for w in SECRETS)
    if role != "head":
        aws.secrets[munge]["1"] = b"key"
    node, lend = (load_program(SCRIPTS / f"{name}.py", patch) for name in ("aws", "data"))
    (line := folder / "line").write_text("a line\n")

    def take() -> None:
        lend.take(lend.client(), plan.data_role(role).arn, "lab-1")

    own: dict[str, dict[str, Act]] = {
        "head": {
            "munge key": lambda: node.key(munge, f"{folder}/munge", "32"),
            "key of tokens": lambda: node.key(jwt, f"{folder}/jwt", "32"),
            "password": lambda: node.password(PASSWORD),
            "publishing": lambda: node.publish("people.json", str(line)),
        },
        "login": {
            "munge key": partial(node.secret, munge),
            "host keys": lambda: node.agree(hosts, str(line)),
            "lending": take,
        },
        "debug": {"munge key": partial(node.secret, munge), "lending": take},
    }
    every: dict[str, Act] = {
        "configuration": lambda: configuration("aws", aws.url),
        "missing object": lambda: fetch_missing_object(aws),
        "log": lambda: node.log("/hpc/lab", str(line)),
        "published file": lambda: node.published("published.json", f"{folder}/published", "0"),
        "unpublished file": lambda: find_nothing_published(node, folder),
    }
    return every | own[role]


def find_nothing_published(node: ModuleType, folder: Path) -> None:
    """A node that waits for a file must tell one that is not there from one that it may not read."""
    with pytest.raises(SystemExit, match="has not been published"):
        node.published("unpublished.json", f"{folder}/unpublished", "0")


def fetch_missing_object(aws: FakeAws) -> None:
    """The log of a boot must tell an object that is not there from one that may not be read."""
    aws.objects, whole = {MANIFEST: CONFIG_OBJECTS[MANIFEST]}, aws.objects
    try:
        with pytest.raises(PermissionError) as failed:
            configuration("aws", aws.url)
    finally:
        aws.objects = whole
    if "404" not in str(failed.value):
        raise failed.value


@pytest.mark.parametrize("role", NEEDED)
def test_each_right_is_needed_at_boot(
    role: str, plan: Planned, aws: FakeAws, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    aws.tags = {"hpc:config": plan.bucket, "hpc:role": role}
    aws.objects = {**CONFIG_OBJECTS, "published/published.json": b"people"}
    aws.arns = {**plan.secrets, PASSWORD: PASSWORD, "bucket": plan.bucket_arn}
    aws.role_arns = {each: plan.role_arn(each) for each in NEEDED}
    aws.data_roles = [plan.data_role(each) for each in ("login", "debug")]
    credentials = {"AWS_ACCESS_KEY_ID": KEYS.access_key, "AWS_SECRET_ACCESS_KEY": KEYS.secret_key}
    settings = {**credentials, "AWS_SESSION_TOKEN": str(KEYS.token), "AWS_ENDPOINT_URL": aws.url}
    for name, value in {**settings, "HPC_REGION": aws.region, "HPC_CONFIG": plan.bucket}.items():
        monkeypatch.setenv(name, value)
    pass_no_time(monkeypatch)

    def failing_with(statements: Sequence[Mapping[str, Any]]) -> set[str]:
        aws.rights = {role: policy(statements)}
        (folder := tmp_path / str(len(list(tmp_path.iterdir())))).mkdir()
        return failing(acts(role, plan, aws, folder, monkeypatch), ClientError)

    granted = plan.statements(role)
    assert failing_with(granted) == set()
    at_boot = [each for each in parts(granted) if not each[1].startswith(OF_OTHERS)]
    assert {label(plan, each): failing_with(without(granted, each)) for each in at_boot} == NEEDED[role]


@pytest.mark.parametrize("place", ["login", "debug"])
def test_what_is_lent_is_needed_by_an_operation_on_objects(place: str, plan: Planned) -> None:
    lent = [each for each in plan.recording.all("RolePolicy") if each.name == f"lab-{place}-data-policy"]
    (statements,) = [json.loads(each.inputs["policy"])["Statement"] for each in lent]
    assert {action for _, action, _ in parts(statements)} == LENT.keys()
