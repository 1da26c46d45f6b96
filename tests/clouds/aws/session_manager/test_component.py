import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import boto3
import jsonschema
import pytest
from both_modes import checked_preview
from moto import mock_aws
from moto.events.models import EventPattern, EventPatternParser

from clouds.aws.sample import CONFIG, OWN, TAGS, THEIRS
from hpc_components.aws.session_manager.component import SessionManager, SessionManagerArgs
from hpc_components.aws.session_manager.document import SHELL
from hpc_components.aws.session_manager.limiter import HANDLER
from hpc_components.preview.record import Recording, record

KEY = "arn:aws:kms:us-east-2:123456789012:key/0f0e0d0c-aaaa-bbbb-cccc-0123456789ab"
SCHEMA = json.loads(Path(__file__).with_name("document_schema.json").read_text("utf-8"))
LIMITED = {"max_sessions_per_user": 2}


def program(**args: Any) -> SessionManager:
    usual = {"cluster": "cfd", "config": CONFIG, "nodes": {"login": OWN}, "tags": TAGS}
    return SessionManager("cfd-sessions", SessionManagerArgs(**{**usual, **args}))


def recorded(**args: Any) -> Recording:
    return record(lambda: program(**args), preview=False)


def body(recording: Recording) -> dict[str, Any]:
    return json.loads(recording.one("Document").inputs["content"])


@pytest.mark.parametrize(
    "args",
    [
        {}, LIMITED, {"log_days": 30}, {"log_days": 30, "kms_key": KEY}, {"kms_key": KEY},
        {"idle_minutes": 1, "max_minutes": 1}, {"idle_minutes": 60, "max_minutes": 1440},
    ],
)  # fmt: skip
def test_aws_accepts_the_document(args, monkeypatch):
    document = recorded(**args).one("Document").inputs
    jsonschema.validate(json.loads(document["content"]), SCHEMA)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    names = {"Name": "name", "DocumentType": "documentType", "DocumentFormat": "documentFormat", "Content": "content"}
    with mock_aws():
        ssm = boto3.client("ssm", region_name="us-east-2")
        made = ssm.create_document(**{key: document[name] for key, name in names.items()})["DocumentDescription"]
    assert (made["Name"], made["DocumentType"], made["SchemaVersion"]) == ("hpc-cfd", "Session", "1.0")


def test_documented_durations_are_those_of_the_schema():
    """The schema and the component draw the same line."""
    for minutes in (0, 1, 59, 60, 61, 999, 1000, 1080, 1399, 1439, 1440, 1441):
        text = str(minutes)
        for key, name in (("idle_minutes", "idleSessionTimeout"), ("max_minutes", "maxSessionDuration")):
            rule = SCHEMA["properties"]["inputs"]["properties"][name]
            try:
                program_accepts = bool(SessionManagerArgs(cluster="cfd", config=CONFIG, **{key: minutes}))
            except ValueError:
                program_accepts = False
            assert jsonschema.Draft202012Validator(rule).is_valid(text) == program_accepts, (key, minutes)


def test_sessions_run_as_the_user_of_the_tag_or_not_at_all():
    preferences = body(recorded())["inputs"]
    assert (preferences["runAsEnabled"], preferences["runAsDefaultUser"]) == (True, "")


def test_encryption_is_demanded_only_of_a_log_that_has_a_key():
    # The agent refuses sessions if a log group that must be encrypted has no key.
    assert body(recorded(log_days=30))["inputs"]["cloudWatchEncryptionEnabled"] is False
    assert body(recorded(kms_key=KEY))["inputs"]["cloudWatchEncryptionEnabled"] is False
    recording = recorded(log_days=30, kms_key=KEY)
    preferences, group = body(recording)["inputs"], recording.one("LogGroup").inputs
    assert preferences["cloudWatchEncryptionEnabled"] is True
    assert preferences["kmsKeyId"] == group["kmsKeyId"] == KEY
    assert preferences["cloudWatchLogGroupName"] == group["name"] == "/hpc/cfd/sessions"
    assert group["retentionInDays"] == 30


def test_shell_is_a_login_shell_at_home_with_the_variables_of_the_node(tmp_path):
    variables = tmp_path / "environment"
    variables.write_text("AWS_REGION=us-east-2\n", "utf-8")
    asked = "pwd; shopt -q login_shell && echo login; echo $AWS_REGION; env | grep -c ^AWS_REGION\n"
    shell = subprocess.run(
        ["sh", "-c", SHELL.replace("/etc/environment", str(variables))],
        input=asked, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shell.stdout.splitlines() == [str(tmp_path), "login", "us-east-2", "1"]


def test_only_nodes_whose_role_is_ours_get_permissions():
    nodes = {"login": OWN, "head": THEIRS.own}
    (policy,) = recorded(nodes=nodes, log_days=30).all("RolePolicy")
    assert (policy.name, policy.inputs["role"]) == ("cfd-sessions-login-policy", "own-role")
    assert not recorded(nodes=nodes).all("RolePolicy")


def test_nothing_limits_sessions_without_a_limit():
    assert [each.name for each in recorded().resources if each.custom] == ["cfd-sessions-document"]


@pytest.mark.parametrize("args", [{}, {**LIMITED, "log_days": 30, "kms_key": KEY}])
def test_preview_has_the_same_graph_as_an_update(args):
    checked_preview(lambda: program(**args))


def test_function_gets_the_variables_that_it_reads():
    variables = recorded(**LIMITED).one("aws:lambda/function:Function").inputs["environment"]["variables"]
    assert sorted(variables) == sorted(re.findall(r'os\.environ\["(\w+)"\]', HANDLER.read_text("utf-8")))
    assert [variables[f"HPC_{name}"] for name in ("CLUSTER", "CONFIG", "ROLE", "DOCUMENT", "LIMIT")] == [
        "cfd", "cfd-config", "login", "hpc-cfd", "2",
    ]  # fmt: skip


def test_rule_also_looks_every_five_minutes_and_may_run_the_function():
    recording = recorded(**LIMITED)
    target, permission = recording.one("EventTarget"), recording.one("Permission")
    assert recording.one("EventRule").inputs["scheduleExpression"] == "rate(5 minutes)"
    allowed = (permission.inputs["action"], permission.inputs["principal"])
    assert allowed == ("lambda:InvokeFunction", "events.amazonaws.com")
    policy = recording.one("RolePolicy", "cfd-sessions-limit-role-policy")
    assert {policy.urn, permission.urn} <= set(target.depends_on)


def started(**request: str) -> dict[str, Any]:
    """An event about StartSession as CloudTrail writes it."""
    identity = {
        "type": "AssumedRole",
        "principalId": "AROAIQ6OLWNLBIR3TTEGG:alice",
        "arn": "arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_hpc_0123456789abcdef/alice",
    }
    detail = {
        "eventVersion": "1.08", "userIdentity": identity, "eventTime": "2026-11-24T09:00:00Z",
        "eventSource": "ssm.amazonaws.com", "eventName": "StartSession", "awsRegion": "us-east-2",
        "requestParameters": {"target": "i-023ad911b5d49dece", **request},
        "responseElements": {"sessionId": "alice-08ea7d78b1fd0d119", "tokenValue": "Value hidden"},
        "readOnly": False, "eventType": "AwsApiCall", "managementEvent": True,
    }  # fmt: skip
    return {"source": "aws.ssm", "detail-type": "AWS API Call via CloudTrail", "detail": detail}


ARN = "arn:aws:ssm:us-east-2:123456789012:document/hpc-cfd"


@pytest.mark.parametrize(
    ("event", "matches"),
    [
        (started(documentName="hpc-cfd"), True),
        (started(documentName=ARN), True),
        (started(documentName="hpc-other"), False),
        (started(documentName="SSM-SessionManagerRunShell"), False),
        (started(), False),
    ],
)
def test_rule_matches_starts_with_the_document(event, matches):
    text = recorded(**LIMITED).one("EventRule").inputs["eventPattern"]
    assert EventPattern(text, EventPatternParser(text).parse()).matches_event(event) == matches


def test_rule_ignores_other_calls():
    text = recorded(**LIMITED).one("EventRule").inputs["eventPattern"]
    event = started(documentName="hpc-cfd")
    event["detail"]["eventName"] = "TerminateSession"
    assert not EventPattern(text, EventPatternParser(text).parse()).matches_event(event)


def test_function_is_the_file_beside_the_component():
    function = recorded(**LIMITED).one("aws:lambda/function:Function").inputs
    ((path, content),) = function["code"]["archive"]["assets"].items()
    assert content["asset"]["text"] == HANDLER.read_text(encoding="utf-8")
    assert function["handler"] == f"{Path(path).stem}.handler"
    assert (function["runtime"], function["architectures"]) == ("python3.13", ["arm64"])
    script = "import sys, handler; assert not [name for name in sys.modules if name.startswith('hpc_components')]"
    subprocess.run([sys.executable, "-c", script], cwd=HANDLER.parent, check=True)


def test_outputs_are_the_policies_and_the_names():
    found: dict[str, Any] = {}

    def exporting() -> None:
        made = program(log_days=30)
        for name in ("document_name", "log_group_name", "user_policy", "administrator_policy"):
            getattr(made, name).apply(lambda value, name=name: found.setdefault(name, value))

    record(exporting, preview=False)
    assert (found["document_name"], found["log_group_name"]) == ("hpc-cfd", "/hpc/cfd/sessions")
    starting = json.loads(found["user_policy"])["Statement"][0]
    tags = {"ClusterName": "cfd", "hpc:config": "cfd-config", "hpc:role": "login"}
    assert starting["Condition"]["StringEquals"] == {f"ssm:resourceTag/{key}": value for key, value in tags.items()}
    assert len(found["administrator_policy"]) < 10_240


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            {"idle_minutes": 61},
            r"SessionManagerArgs.idle_minutes = 61: Session Manager accepts 1 to 60 whole minutes",
        ),
        ({"max_minutes": 1441}, r"SessionManagerArgs.max_minutes = 1441: .* 1 to 1,440 whole minutes; use 1440"),
        ({"max_sessions_per_user": 0}, r"SessionManagerArgs.max_sessions_per_user = 0: all sessions would be ended"),
        ({"log_days": 31}, r"SessionManagerArgs.log_days = 31: CloudWatch keeps logs for 1, .* days; use 60"),
        ({"users_on": "compute"}, r"SessionManagerArgs.users_on: .compute. is unknown; use login or head"),
    ],
)
def test_wrong_arguments_are_named(args, message):
    with pytest.raises(ValueError, match=message):
        SessionManagerArgs(cluster="cfd", config=CONFIG, **args)
