"""What a file of Pulumi's CLI is, its content tells."""

import json
from pathlib import Path
from typing import Any

import pytest

from hpc_components.review.engine.files import read_run, read_state
from hpc_components.review.repository import SourceError
from tests.review.engine.made import digest, event, state, step

LINE = event(resourcePreEvent={"metadata": {"op": "same", "urn": state()["urn"], "old": state(), "new": state()}})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "given"


def test_a_preview_is_read_from_its_file(file: Path) -> None:
    file.write_text(json.dumps(digest(step("update", state(), state())), indent=2))
    run = read_run(file)
    assert [each.op for each in run.steps] == ["update"]
    assert not run.has_policies


@pytest.mark.parametrize(
    "text", [LINE, LINE + LINE, f"{LINE}\nwarning: not an event\n{LINE}", f"\nPreviewing update\n{LINE}"]
)
def test_a_log_is_read_from_its_file(file: Path, text: str) -> None:
    file.write_text(text)
    run = read_run(file)
    assert len(run.steps) == text.count("resourcePreEvent")
    assert run.has_policies


@pytest.mark.parametrize("sign", ["\u0085", "\u2028"])
def test_a_line_ends_where_pulumi_ends_it(file: Path, sign: str) -> None:
    said = event(diagnosticEvent={"severity": "error", "message": f"no{sign}quota"}).replace("\\u0085", sign)
    file.write_text(LINE + said.replace("\\u2028", sign))
    assert read_run(file).failure == f"no{sign}quota"


def test_a_log_of_a_run_that_was_killed_has_failed(file: Path) -> None:
    file.write_text(LINE + LINE[:50])
    run = read_run(file)
    assert len(run.steps) == 1
    assert run.failure.startswith("The log ends before the summary: the run")


def test_a_preview_knows_whether_it_is_whole(file: Path) -> None:
    steps = [step("update", state(), state()), step("same", state(name="e"), state(name="e"))]
    for counts, is_whole in (({"same": 1, "update": 1}, True), ({"same": 2, "update": 1}, False)):
        file.write_text(json.dumps(digest(*steps, changeSummary=counts)))
        assert read_run(file).is_whole is is_whole


def test_a_preview_without_its_summary_has_failed(file: Path) -> None:
    file.write_text(json.dumps({"steps": [step("same", state(), state())], "diagnostics": []}))
    assert read_run(file).failure.startswith("The preview ended before its summary")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty: Pulumi failed before writing any output; see the error on standard error"),
        ("no JSON", "line 1: this is not valid JSON"),
        (json.dumps(digest())[:-9], "line 1: this is not valid JSON"),
        (f"{LINE}{LINE[:50]}\n{LINE}", "line 2: this is not valid JSON"),
        ("[]", "does not contain a Pulumi preview; write one with `pulumi preview --json --show-sames > FILE`"),
        ("3", "does not contain a Pulumi preview;"),
        ('{"result": "succeeded", "resources": []}', "does not contain a Pulumi preview;"),
        ('{"version": 3, "deployment": {}}', "the file is a state, so pass it with --state"),
        (
            '{"plan": 1, "resources": []}',
            "the file is a plan from `hpc preview`, so pass it as BASE, without --pulumi",
        ),
        (json.dumps(digest()), "does not specify its stack, because the run ended before the first step; "),
        (
            '{"diagnostics": [{"severity": "error", "message": "no plugin"}]}',
            "because the run ended before the first step: no plugin; ",
        ),
        ('{"steps": [{"op": "same"}]}', "is not a valid Pulumi preview: steps"),
        ('{"steps": 3}', "is not a valid Pulumi preview: steps"),
    ],
)
def test_what_is_no_preview_is_one_sentence(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(SourceError) as refused:
        read_run(file)
    assert str(refused.value).startswith(str(file))
    assert said in str(refused.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_what_can_not_be_read(file: Path, content: bytes | None) -> None:
    if content:
        file.write_bytes(content)
    for read in (read_run, read_state):
        with pytest.raises(SourceError, match=r"can't be read|is not UTF-8 text"):
            read(file)


@pytest.mark.parametrize(
    "document",
    [
        "{}", "[]", '{"deployment": 3}', '{"steps": []}', "{", '{"deployment": {"resources": [{"type": "a:b:C"}]}}',
        '{"deployment": {"resources": [{"type": "a:b:C", "urn": "d"}]}}', '{"deployment": {"resources": [3]}}',
    ],
)  # fmt: skip
def test_a_file_without_a_state_is_refused(file: Path, document: Any) -> None:
    file.write_text(document)
    with pytest.raises(SourceError, match=r"does not contain a (valid )?stack state|this is not valid JSON"):
        read_state(file)
