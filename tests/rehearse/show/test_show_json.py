"""A rehearsal as a document."""

import json

import pytest
from hypothesis import given, settings
from rehearsal_sample import empty, spot, unfinished
from shown_golden import assert_golden
from story_strategies import rehearsals

from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.show.json import UnreadableRehearsalError, read_json, to_json


def test_golden() -> None:
    assert_golden("spot.json", to_json(spot()))


@settings(max_examples=60, deadline=None)
@given(rehearsals())
def test_what_is_written_can_be_read(rehearsal: Rehearsal) -> None:
    assert read_json(to_json(rehearsal)) == rehearsal


@pytest.mark.parametrize(("rehearsal", "passed"), [(spot(), True), (unfinished(), False), (empty(), True)])
def test_it_says_whether_all_held(rehearsal: Rehearsal, passed: bool) -> None:
    document = json.loads(to_json(rehearsal))
    assert (document["rehearsal"], document["passed"]) == (1, passed)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "line 1: this is not JSON"),
        ("[]", "`rehearsal` is None, where 1 was expected"),
        ('{"rehearsal": 2}', "`rehearsal` is 2, where 1 was expected"),
        ('{"rehearsal": 1}', "the rehearsal is not whole: KeyError('scale')"),
        (to_json(spot()).replace('"kind": "step"', '"kind": "leap"'), "the rehearsal is not whole: ValueError("),
        (to_json(spot()).replace('"begin": 3.1,', ""), "the rehearsal is not whole: KeyError('begin')"),
    ],
)
def test_what_is_none_is_refused_with_the_way_out(text: str, sentence: str) -> None:
    with pytest.raises(UnreadableRehearsalError) as refused:
        read_json(text)
    assert str(refused.value).startswith(sentence)
    assert str(refused.value).endswith("write one with `hpc rehearse STACK --format json`")
