"""A rehearsal as a document."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from rehearsal_sample import empty, spot, unfinished
from shown_golden import assert_golden
from story_strategies import rehearsals

from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.events import Code
from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.show.json import UnreadableRehearsalError, read_json, to_json


def test_the_document_is_the_reviewed_one() -> None:
    assert_golden("spot.json", to_json(spot()))


@settings(max_examples=60, deadline=None)
@given(rehearsals())
def test_what_is_written_can_be_read(rehearsal: Rehearsal) -> None:
    assert read_json(to_json(rehearsal)) == rehearsal


def test_each_event_and_check_of_a_rehearsal_has_its_code() -> None:
    log = EventLog(lambda event: None)
    log.record(Code.LAUNCHED, "machine i-1 is launched", node="cpu-1", pool="c7i.large in use2-az1, spot")
    log.check(Code.NO_ERRORS, "no daemon logs an error", True)
    story = replace(spot(), events=tuple(log.events), checks=tuple(log.checks))
    document = json.loads(to_json(story))
    assert [(event["kind"], event["code"]) for event in document["events"]] == [
        ("cloud", "launched"), ("check", "no-errors"),
    ]  # fmt: skip
    assert [check["code"] for check in document["checks"]] == ["no-errors"]
    assert read_json(json.dumps(document)) == story


def test_a_document_without_codes_and_one_with_later_codes_can_be_read() -> None:
    document = json.loads(to_json(spot()))
    for each in (*document["events"], *document["checks"]):
        del each["code"]
    for event in document["events"]:
        del event["pool"]
    assert {event.code for event in read_json(json.dumps(document)).events} == {None}
    document["events"][0]["code"] = "of-a-later-version"
    assert read_json(json.dumps(document)).events[0].code is None


@pytest.mark.parametrize(("rehearsal", "passed"), [(spot(), True), (unfinished(), False), (empty(), True)])
def test_it_says_whether_all_held(rehearsal: Rehearsal, passed: bool) -> None:
    document = json.loads(to_json(rehearsal))
    assert (document["rehearsal"], document["passed"]) == (1, passed)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "line 1: this is not valid JSON"),
        ("[]", "`rehearsal` is None but must be 1"),
        ('{"rehearsal": 2}', "`rehearsal` is 2 but must be 1"),
        ('{"rehearsal": 1}', "this is not a rehearsal document: cluster is missing"),
        (
            to_json(spot()).replace('"kind": "step"', '"kind": "leap"'),
            "this is not a rehearsal document: events[0].kind is the string 'leap', but 'step', 'node',",
        ),
        (
            to_json(spot()).replace('"begin": 3.1,', ""),
            "this is not a rehearsal document: nodes[0].spans[0].begin is missing",
        ),
    ],
)
def test_what_is_none_is_refused_with_the_way_out(text: str, sentence: str) -> None:
    with pytest.raises(UnreadableRehearsalError) as refused:
        read_json(text)
    assert str(refused.value).startswith(sentence)
    assert str(refused.value).endswith("create one with `hpc rehearse STACK --format json`")
