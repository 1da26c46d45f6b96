"""The document of `hpc audit`, made from what nodes and Pulumi print."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hpc_components.cli.auditing import KINDS
from hpc_components.operate.audit import ALL_KINDS, audit_document, chosen
from hpc_components.operate.audit_text import audit_text
from hpc_components.operate.sections import Section
from hpc_components.operate.ways import ReachError
from hpc_components.report.text import plain_text

SINCE = datetime(2026, 11, 29, tzinfo=UTC)


def line(second: int, **values: str) -> str:
    record = {"time": f"2026-11-29T03:00:{second:02}Z", "node": "head", "kind": "root", "who": "alice"}
    return json.dumps({**record, "what": "as root: x", "from": "", **values})


def document(*lines: str, code: int = 0, updates: Any = ()) -> dict[str, Any]:
    return audit_document("lab", SINCE, {"head": Section("\n".join(lines), code)}, updates)


def test_records_of_nodes_are_sorted_by_time() -> None:
    sections = {"head": Section(line(3) + "\n" + line(1), 0), "login": Section(line(2, node="login-1"), 0)}
    made = audit_document("lab", SINCE, sections, ())
    assert [each["time"][-3:] for each in made["records"]] == ["01Z", "02Z", "03Z"]


def test_an_update_names_its_commit_and_not_who_ran_it() -> None:
    update = {
        "kind": "update", "startTime": "2026-11-29T03:00:00.000Z", "result": "succeeded", "config": {"key": "geheim"},
        "environment": {"git.head": "9ad36b22ffff", "git.author": "Bob"},
        "resourceChanges": {"create": 3, "same": 70},
    }  # fmt: skip
    earlier = {**update, "startTime": "2026-11-28T03:00:00.000Z"}
    (record,) = document(updates=[update, earlier])["records"]
    assert (record["kind"], record["who"]) == ("pulumi", "")
    assert record["what"] == "update succeeded; 3 create; commit 9ad36b22 of Bob"


def test_a_source_that_was_not_read_is_said() -> None:
    made = document(line(1), json.dumps({"unread": "transactions", "why": "sacctmgr: no answer"}))
    assert made["unread"] == ["head: transactions: sacctmgr: no answer"]
    assert "Not read" in plain_text(audit_text(made), 100)


def test_lines_that_are_no_records_are_left_out_and_controls_escaped() -> None:
    made = document("sudo: unable to resolve host head", line(1, what="as root: \x1b[31m"))
    assert [each["what"] for each in made["records"]] == [r"as root: \x1b[31m"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("sudo: /opt/hpc/bin/hpc-audit: command not found", r"write `audit: \{keep: 400d\}` into the description"),
        ("sudo: a password is required", "sudo: a password is required"),
        ("", "it says nothing"),
    ],
)
def test_a_node_without_a_trail_is_an_error_with_a_remedy(said: str, why: str) -> None:
    with pytest.raises(ReachError, match=f"head shows no audit trail: .*{why}"):
        document(said, code=1)


def test_records_are_chosen_by_user_and_kind() -> None:
    made = document(line(1), line(2, who="bob"), line(3, kind="login"))
    assert len(chosen(made, (), ())["records"]) == 3
    assert [each["who"] for each in chosen(made, ("bob",), ())["records"]] == ["bob"]
    assert len(chosen(made, ("alice",), ("login", "slurm"))["records"]) == 1


def test_the_command_knows_all_kinds() -> None:
    assert tuple(ALL_KINDS) == KINDS
