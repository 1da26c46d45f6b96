"""What `hpc audit` makes of the cloud's own log, with programs in place of the clouds' command lines."""

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from hpc_components.cli import main
from hpc_components.operate import cloud_log
from hpc_components.operate.audit import audit_document
from hpc_components.operate.cloud_log import Change, CloudLog, OwnNames, ask_cloud_log

SINCE = datetime(2026, 11, 29, tzinfo=UTC)
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a script of sh on PATH, which then has no other programs than these. Its calls are in the file `calls`."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))

    def put(name: str, text: str) -> None:
        (programs / name).write_text(f'#!/bin/sh\nPATH=/usr/bin:/bin\necho "{name} $*" >>{tmp_path}/calls\n{text}\n')
        (programs / name).chmod(0o755)

    return put


def calls(folder: Path) -> list[str]:
    file = folder / "calls"
    return file.read_text().splitlines() if file.exists() else []


def printing(folder: Path, entries: Any) -> str:
    (folder / "entries.json").write_text(entries if isinstance(entries, str) else json.dumps(entries))
    return f"cat {folder}/entries.json"


def read(entry: Mapping[str, Any]) -> Change | None:
    if entry["what"] == "read":
        return None
    at = SINCE + timedelta(seconds=entry["at"])
    return Change(
        id=entry.get("id", str(entry["at"])), at=at, who="alice", what=entry["what"], source="192.0.2.1",
        failed=entry.get("failed", ""),
    )  # fmt: skip


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[list[Change], list[str]]]:
    """Asks a cloud whose command line is `toy`."""

    def log(access: Any, head: Any, names: OwnNames, since: datetime, until: datetime) -> CloudLog:
        return CloudLog(
            title="the toy's log", program=SimpleNamespace(name="toy", remedy="is a toy"), permission="toy:Read",
            commands=[("toy", "log", f"{since:%Y-%m-%d}")], environment={"TOY_RETRIES": "9"}, read=read,
        )  # fmt: skip

    parts = SimpleNamespace(activity=SimpleNamespace(KEPT_DAYS=400, log=log))
    monkeypatch.setattr(cloud_log, "cloud_named", lambda name: SimpleNamespace(parts=parts))
    return lambda since=SINCE: ask_cloud_log(({"cloud": "toy", "cluster": "lab"}, {}), (), since)


def test_changes_become_records_without_reads(ask, install, tmp_path) -> None:
    entries = [{"at": 2, "what": "delete lab-head", "failed": "Denied"}, {"at": 1, "what": "read"}]
    install("toy", printing(tmp_path, entries))
    changes, unread = ask()
    made = audit_document("lab", SINCE, {}, (), changes, unread)
    assert made["unread"] == []
    assert made["records"] == [
        {
            "time": "2026-11-29T00:00:02Z", "node": "cloud", "kind": "cloud", "who": "alice",
            "what": "delete lab-head; failed: Denied", "from": "192.0.2.1",
        }
    ]  # fmt: skip


def test_entries_about_the_same_request_are_one_change_which_has_failed_if_one_says_so(
    ask, install, tmp_path
) -> None:
    entries = [
        {"at": 9, "id": "op", "what": "delete a", "failed": "Denied"},
        {"at": 1, "id": "op", "what": "delete a"},
    ]
    install("toy", printing(tmp_path, entries))
    ((change,), unread) = ask()
    assert (change.at, change.failed, unread) == (SINCE + timedelta(seconds=1), "Denied", [])


def test_secrets_are_left_out_of_a_change(ask, install, tmp_path) -> None:
    install("toy", printing(tmp_path, [{"at": 1, "what": "create lab-x --password geheim AKIAIOSFODNN7EXAMPLE"}]))
    ((change,), _) = ask()
    assert change.what == "create lab-x --password [left-out] [left-out]"


def test_a_missing_program_is_named_with_its_remedy(ask, install) -> None:
    assert ask() == ([], ["the toy's log: toy is not on PATH; it is a toy"])


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("echo 'AccessDenied: no' >&2; exit 254", "toy log 2026-11-29 failed: AccessDenied: no"),
        ("echo '[{]'", "toy log 2026-11-29: line 1: this is not valid JSON"),
        ("echo '{}'", "toy log 2026-11-29 printed no list"),
        ("true", "toy log 2026-11-29: line 1: this is not valid JSON"),
    ],
)
def test_a_log_that_is_refused_or_damaged_is_named_with_the_permission(ask, install, program: str, why: str) -> None:
    install("toy", program)
    changes, (said,) = ask()
    assert changes == []
    assert said.startswith(f"the toy's log: {why}")
    assert said.endswith("it needs the permission toy:Read")


def test_damaged_entries_are_counted_and_the_others_shown(ask, install, tmp_path) -> None:
    install("toy", printing(tmp_path, [{"at": 3, "what": "stop a"}, {"what": "stop b"}, {"at": "x", "what": "c"}, 7]))
    changes, unread = ask()
    assert [each.what for each in changes] == ["stop a"]
    assert unread == ["the toy's log: 3 of 4 entries are damaged"]


def test_a_log_that_is_cut_off_says_so(ask, install, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(cloud_log, "MAX_ENTRIES", 2)
    install("toy", printing(tmp_path, [{"at": 2, "what": "stop a"}]))
    assert ask()[1] == []
    install("toy", printing(tmp_path, [{"at": 2, "what": "stop a"}, {"at": 1, "what": "stop b"}]))
    changes, unread = ask()
    assert len(changes) == 2
    assert unread == ["the toy's log: only 2 entries were read, the newest; use a later --since"]


def test_a_time_before_the_beginning_of_the_log_is_said(ask, install, tmp_path) -> None:
    install("toy", printing(tmp_path, []))
    _, (said,) = ask(datetime.now(UTC) - timedelta(days=401))
    assert said == "the toy's log: the cloud keeps it for 400 days only; use a later --since"
    oldest = datetime.now(UTC) - timedelta(days=400)
    assert calls(tmp_path) == [f"toy log {oldest:%Y-%m-%d}"]


def test_the_environment_of_a_command_is_added(ask, install, tmp_path) -> None:
    install("toy", f'echo "$TOY_RETRIES $HOME" >{tmp_path}/seen; echo "[]"')
    assert ask() == ([], [])
    assert (tmp_path / "seen").read_text() == f"9 {os.environ['HOME']}\n"


STATE = {
    "deployment": {
        "resources": [
            {"urn": "a", "type": "hpc:aws:Cluster"},
            {"urn": "b", "id": "fs-0123456789abcdef0"},
            {"urn": "c", "id": "vpc-0aaaaaaaaaaaaaaaa", "external": True},
        ]
    }
}
OUTPUTS = {
    "access": {"cloud": "aws", "cluster": "lab", "region": "us-east-1", "user": "root"},
    "head_node": {"instance_id": "i-0abc", "private_ip": "10.0.0.1", "public_ip": "192.0.2.9"},
    "network": {"vpc_id": "vpc-0aaaaaaaaaaaaaaaa", "security_groups": {"head": ["sg-0bbbbbbbbbbbbbbbb"]}},
}


def event(second: int, name: str, **request: str) -> dict[str, str]:
    """An event as CloudTrail returns it."""
    inner = {
        "eventID": str(second), "eventTime": f"2026-11-29T03:00:{second:02}Z", "eventSource": "fsx.amazonaws.com",
        "eventName": name, "userIdentity": {"type": "IAMUser", "userName": "bob"}, "requestParameters": request,
        "sourceIPAddress": "192.0.2.7", "readOnly": False,
    }  # fmt: skip
    return {"EventName": name, "CloudTrailEvent": json.dumps(inner)}


EVENTS = [
    event(4, "DeleteFileSystem", fileSystemId="fs-0123456789abcdef0"),
    event(3, "ModifyVpcAttribute", vpcId="vpc-0aaaaaaaaaaaaaaaa"),
    event(2, "AuthorizeSecurityGroupIngress", groupId="sg-0bbbbbbbbbbbbbbbb"),
    event(1, "DeleteFileSystem", fileSystemId="fs-0fffffffffffffff0"),
    event(0, "CopyBackup", sourceRegion="us-east-1", userName="root"),
]


def audit(*options: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(main, ["audit", "lab", "--since", "2026-11-29", "--format", "json", *options])
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture
def laptop(install: Install, tmp_path: Path) -> None:
    """A laptop with `pulumi` and `aws`, and without ssh."""
    for name, document in (("outputs", OUTPUTS), ("state", STATE), ("events", EVENTS)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    install("pulumi", f"case $2 in output) cat {tmp_path}/outputs.json ;; export) cat {tmp_path}/state.json ;; esac")
    install("aws", f"cat {tmp_path}/events.json")


@pytest.mark.usefixtures("laptop")
def test_the_kind_cloud_asks_the_cloud_alone_and_knows_the_ids_of_the_stack(tmp_path: Path) -> None:
    code, document = audit("--kind", "cloud")
    assert (code, document["unread"]) == (0, [])
    assert [(each["kind"], each["who"], each["what"]) for each in document["records"]] == [
        ("cloud", "bob", "fsx DeleteFileSystem fs-0123456789abcdef0")
    ]
    assert [call.partition(" --")[0] for call in calls(tmp_path)] == [
        "pulumi stack output", "pulumi stack export", "aws cloudtrail lookup-events",
    ]  # fmt: skip


@pytest.mark.usefixtures("laptop")
def test_a_source_that_is_not_asked_for_is_not_called(tmp_path: Path, install: Install) -> None:
    install("pulumi", f'case $2 in output) cat {tmp_path}/outputs.json ;; history) echo "[]" ;; esac')
    assert audit("--kind", "pulumi")[0] == 0
    assert [call.split()[2] for call in calls(tmp_path)] == ["output", "history"]


@pytest.mark.usefixtures("laptop")
def test_with_a_file_of_outputs_the_ids_are_theirs(tmp_path: Path) -> None:
    _, document = audit("--kind", "cloud", "--outputs", str(tmp_path / "outputs.json"))
    assert [each["what"].split()[1] for each in document["records"]] == [
        "AuthorizeSecurityGroupIngress", "ModifyVpcAttribute",
    ]  # fmt: skip
    assert [call.split()[0] for call in calls(tmp_path)] == ["aws"]


@pytest.mark.usefixtures("laptop")
def test_a_refused_log_ends_with_exit_code_1(install: Install) -> None:
    install("aws", "echo 'An error occurred (AccessDeniedException)' >&2; exit 254")
    code, document = audit("--kind", "cloud")
    assert code == 1
    assert document["unread"] == [
        "cloud: CloudTrail's event history: aws cloudtrail lookup-events --region failed: An error occurred"
        " (AccessDeniedException); it needs the permission cloudtrail:LookupEvents"
    ]


@pytest.mark.usefixtures("laptop")
def test_a_state_that_pulumi_does_not_print_is_an_error(install: Install, tmp_path: Path) -> None:
    install("pulumi", f"test $2 = export && echo '[]' || cat {tmp_path}/outputs.json")
    done = CliRunner().invoke(main, ["audit", "lab", "--kind", "cloud"])
    assert done.exit_code == 2
    assert "pulumi printed no state of stack 'lab'" in done.output
