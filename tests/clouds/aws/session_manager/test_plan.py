"""What a plan tells of sessions, and what it finds wrong in a recorded document."""

import json
from typing import Any

import pulumi_aws as aws
import pytest

from clouds.aws.sample import CONFIG, TAGS
from hpc_components.aws.session_manager.component import SessionManager, SessionManagerArgs
from hpc_components.aws.session_manager.plan import READER
from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.plan import resources_of
from hpc_components.preview.record import record
from hpc_components.preview.resources import Resources


def planned(program: Any) -> Resources:
    return resources_of(record(program, preview=True))


def component(**args: Any) -> Any:
    given = SessionManagerArgs(cluster="cfd", config=CONFIG, tags=TAGS, **args)
    return lambda: SessionManager("cfd-sessions", given)


def document(content: str, kind: str = "Session", **more: Any) -> Any:
    return lambda: aws.ssm.Document("own", document_type=kind, content=content, **more)


def session(**preferences: Any) -> str:
    return json.dumps({"schemaVersion": "1.0", "sessionType": "Standard_Stream", "inputs": preferences})


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        ({}, ()),
        ({"max_sessions_per_user": 1}, ("at most 1 session at a time",)),
        ({"max_sessions_per_user": 2, "log_days": 30}, ("at most 2 sessions at a time", "logged")),
    ],
)
def test_card_says_what_holds_for_users(args, lines):
    (card,) = READER.service_cards(planned(component(**args)), ())
    assert (card.title, card.lines) == ("Session Manager", ("users log in under their own accounts", *lines))


@pytest.mark.parametrize(
    "program",
    [
        document(session(runAsEnabled=False)), document("schemaVersion: '1.0'", document_format="YAML"),
        document(session(runAsEnabled=True), kind="Command"), document("[]"), document('{"inputs": []}'),
    ],
)  # fmt: skip
def test_other_documents_have_no_card(program):
    assert list(READER.service_cards(planned(program), ())) == []


def test_runs_of_the_function_are_named_but_not_counted():
    assert list(READER.not_counted(planned(component(max_sessions_per_user=2)))) == [
        "runs of the function that limits sessions"
    ]
    assert list(READER.not_counted(planned(component()))) == []


@pytest.mark.parametrize(
    ("preferences", "fault"),
    [
        ({"idleSessionTimeout": "61"}, (61, "idleSessionTimeout: Session Manager accepts 1 to 60 ", "use 60")),
        ({"maxSessionDuration": "0"}, (0, "maxSessionDuration: Session Manager accepts 1 to 1,440 ", "use 1")),
        ({"maxSessionDuration": "1440", "idleSessionTimeout": "60"}, None),
        ({"maxSessionDuration": "1080"}, None),  # no source says that AWS refuses it
        ({"maxSessionDuration": "{{ duration }}"}, None),
    ],
)
def test_durations_in_a_recorded_document_are_judged(preferences, fault):
    found = check_inputs(record(document(session(**preferences)), preview=True))
    told = [(each.path, each.value, each.remedy) for each in found]
    assert told == ([("content", fault[0], fault[2])] if fault else [])
    assert all(each.reason.startswith(fault[1]) for each in found)


@pytest.mark.parametrize("name", ["AWS-mine", "amazon-x", "a b", "xy"])
def test_name_that_aws_reserves_or_refuses_is_found(name):
    (fault,) = check_inputs(record(document(session(), name=name), preview=True))
    assert fault.path == "name"
