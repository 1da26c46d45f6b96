import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from moto import mock_aws
from serving import serving

from hpc_components.cli import main
from hpc_components.cloud import CLOUDS
from hpc_components.preflight.rest import RestReader
from tests.elastic.drivers.rest_server import RestServer
from tests.preflight.aws_account import AwsDouble
from tests.preflight.rest_account import AZURE_READS_BY_POST, GOOGLE_READS_BY_POST, RestAccount
from tests.preflight.sound_aws import LIMIT, sound_account
from tests.preflight.sound_azure import SUBSCRIPTION, sound_subscription
from tests.preflight.sound_gcp import sound_project

LOGINS = {
    "azure": (sound_subscription, "az", json.dumps({"accessToken": "the-token", "subscription": SUBSCRIPTION})),
    "gcp": (sound_project, "gcloud", "the-token"),
}
"""Fills an account; the cloud's own command, and what it prints."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """An account of AWS with a description of what is in it."""
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "test")
        patch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
        aws = AwsDouble()
        file = tmp_path_factory.mktemp("stack") / "Pulumi.cfd.yaml"
        file.write_text(sound_account(aws), encoding="utf-8")
        patch.setattr("hpc_components.aws.preflight.part.clients_of", lambda region, profile: aws.client)
        yield aws, file


def preflight(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["preflight", *arguments])


def test_a_sound_account_ends_with_code_0(prepared: tuple[AwsDouble, Path]) -> None:
    done = preflight(str(prepared[1]))
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "0 errors, 0 warnings in 1 cluster",
        "asked account 123456789012: 23 checks answered, 0 left out",
    ]


def test_faults_are_shown_in_every_format(prepared: tuple[AwsDouble, Path], monkeypatch: Any) -> None:
    aws, file = prepared

    def limit(asked: Any) -> Any:
        return {"Quota": {"Value": 192.0 if asked["QuotaCode"] == "L-F7808C92" else LIMIT}}

    monkeypatch.setattr(aws, "answers", dict(aws.answers))
    aws.answer("service-quotas:GetServiceQuota", limit)
    aws.deny("kms:DescribeKey")
    text, github, document = preflight(str(file)), preflight(str(file), "--format", "github"), None
    assert text.exit_code == github.exit_code == 1
    assert f"{file}:" in text.stdout
    assert "error HPC-PRE-004 queues[0].max" in text.stdout
    assert "left out: encryption keys (for storage): needs kms:DescribeKey" in text.stdout
    assert github.stdout.startswith(f"::error file={file},line=")
    assert "::warning title=hpc preflight::left out: encryption keys" in github.stdout
    document = json.loads(preflight(str(file), "--format", "json").stdout)
    (finding,) = document["findings"]
    assert (finding["id"], finding["value"]) == ("HPC-PRE-004", 1536)
    assert document["left_out"][0]["permission"] == "kms:DescribeKey"
    assert not aws.refused


def test_progress_is_shown_on_a_terminal(prepared: tuple[AwsDouble, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hpc_components.cli.output.on_terminal", lambda: True)
    lines = preflight(str(prepared[1])).stderr.splitlines()
    assert lines[0] == "asking account 123456789012 ..."
    assert "asked about machine types" in lines
    assert len(lines) == 24


def test_a_silenced_fault_is_no_error(prepared: tuple[AwsDouble, Path], monkeypatch: Any, tmp_path: Path) -> None:
    aws, file = prepared
    monkeypatch.setattr(aws, "answers", dict(aws.answers))
    aws.answer("service-quotas:GetServiceQuota", lambda asked: {"Quota": {"Value": 0.0}})
    silent = tmp_path / file.name
    silent.write_text(file.read_text() + "    silence: {HPC-PRE-004: requested on Monday}\n")
    done = preflight(str(silent))
    assert done.exit_code == 0, done.output
    assert "silenced in 1 cluster" in done.stdout


def test_missing_credentials_end_with_code_2(prepared: tuple[AwsDouble, Path], monkeypatch: Any) -> None:
    from hpc_components.preflight.account import NoAccountError

    def without(region: str, profile: str | None) -> Any:
        raise NoAccountError("there are no AWS credentials; log in")

    monkeypatch.setattr("hpc_components.aws.preflight.part.clients_of", without)
    done = preflight(str(prepared[1]))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "Error: there are no AWS credentials; log in\n"


def test_an_invalid_description_is_not_asked_about(prepared: tuple[AwsDouble, Path], tmp_path: Path) -> None:
    aws, file = prepared
    broken = tmp_path / file.name
    broken.write_text(file.read_text().replace("max: 16", "max: -1"))
    aws.calls.clear()
    done = preflight(str(broken))
    assert done.exit_code == 1
    assert "fix the errors first" in done.stderr
    assert not aws.calls


@pytest.mark.parametrize("cloud", ["azure", "gcp"])
def test_clouds_without_a_library_are_asked_with_their_own_login(
    cloud: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = RestAccount((*AZURE_READS_BY_POST, *GOOGLE_READS_BY_POST))
    fill, command, printed = LOGINS[cloud]
    file = tmp_path / "Pulumi.cfd.yaml"
    file.write_text(fill(account))
    program = tmp_path / command
    program.write_text(f"#!/bin/sh\necho '{printed}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.delenv("GOOGLE_OAUTH_ACCESS_TOKEN", raising=False)
    with serving(RestServer(account)) as server:
        reader = partial(RestReader, server=server.url)
        monkeypatch.setattr(f"hpc_components.{cloud}.preflight.part.RestReader", reader)
        done = preflight(str(file))
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("0 errors, 0 warnings in 1 cluster\nasked ")
    assert account.tokens == {"Bearer the-token"}
    assert account.projects == {"my-hpc-project" if cloud == "gcp" else None}
    assert not account.writes


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_permissions_are_printed_without_credentials(cloud: str) -> None:
    done = preflight(cloud, "--permissions")
    assert done.exit_code == 0
    assert "ermission" in done.stdout or "Action" in done.stdout
