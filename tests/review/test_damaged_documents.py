"""Plans, previews, logs and states with one part damaged: reviewed, or refused in one sentence; never a traceback."""

import json
from collections.abc import Iterator
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpc_components.cli import main
from hpc_components.preview.plan import Plan
from hpc_components.review.document import Side
from hpc_components.review.engine.drift import drift
from hpc_components.review.engine.files import read_state
from hpc_components.review.repository import SourceError
from tests.cli.bounded import bounded_hpc
from tests.stack_recordings import planned

DOCUMENTS = Path(__file__).parent / "engine" / "documents"

REMOVED = object()
WRONG = (
    None, True, 3, -1.5, 10**25, "", "x", "\0", [], [1], [[]], ["x"], {}, {"a": 1}, "urn:pulumi:s::p::t::n", REMOVED,
)  # fmt: skip
"""What a part is replaced by."""

SIDES = Side(source="before"), Side(source="after")

MANY = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def parts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every part of a document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from parts(each, (*path, key))


@st.composite
def damaged(draw: st.DrawFn, document: Any) -> Any:
    """The document with one part replaced by another value, or without it."""
    path = draw(st.sampled_from(list(parts(document))[1:]))
    wrong = draw(st.sampled_from(WRONG))
    return changed(document, path, wrong)


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of the document with another value at `path`; without that part if the value is `REMOVED`."""
    found = around = copy(document)
    for key in path[:-1]:
        around[key] = copy(around[key])
        around = around[key]
    if value is REMOVED:
        del around[path[-1]]
    else:
        around[path[-1]] = value
    return found


def without_each_key(document: Any) -> Iterator[Any]:
    """The document without one key, for each key of it; of keys that differ in positions of lists, the first."""
    kinds = {tuple(0 if isinstance(key, int) else key for key in path): path for path in list(parts(document))[::-1]}
    for path in kinds.values():
        if path and isinstance(path[-1], str):
            yield changed(document, path, REMOVED)


@cache
def plan() -> Any:
    return json.loads(plan_text())


@cache
def plan_text() -> str:
    return planned("aws-dev").plan.to_json()


def recorded(name: str) -> Any:
    return json.loads((DOCUMENTS / name).read_text())


def events() -> list[Any]:
    return [json.loads(line) for line in (DOCUMENTS / "events.jsonl").read_text().splitlines() if line[:1] == "{"]


def reviewed_or_refused(*arguments: str) -> None:
    done = CliRunner().invoke(main, ["diff", *arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in (0, 1, 2)
    if done.exit_code == 2 and not done.stdout:
        assert done.stderr.startswith("Error: ")


@MANY
@given(data=st.data())
def test_damaged_plans_are_reviewed_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("plans")
    sides = [folder / "damaged.json", folder / "right.json"]
    sides[0].write_text(json.dumps(data.draw(damaged(plan()))))
    sides[1].write_text(plan_text())
    if data.draw(st.booleans()):
        sides.reverse()
    reviewed_or_refused(
        *map(str, sides), "--format", data.draw(st.sampled_from(["text", "markdown", "html", "json"]))
    )


@MANY
@given(data=st.data(), name=st.sampled_from(["changes.json", "new.json", "only_changes.json", "failed.json"]))
def test_damaged_previews_are_reviewed_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, name: str
) -> None:
    file = tmp_path_factory.mktemp("previews") / "file"
    file.write_text(json.dumps(data.draw(damaged(recorded(name)))))
    reviewed_or_refused("--pulumi", str(file), "--format", data.draw(st.sampled_from(["text", "markdown"])))


@MANY
@given(data=st.data())
def test_damaged_logs_are_reviewed_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    file = tmp_path_factory.mktemp("logs") / "file"
    file.write_text("\n".join(map(json.dumps, data.draw(damaged(events())))))
    reviewed_or_refused("--pulumi", str(file))


@MANY
@given(data=st.data())
def test_damaged_states_are_compared_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("states") / "file"
    file.write_text(json.dumps(data.draw(damaged(recorded("state.json")))))
    try:
        deployment = read_state(file)
    except SourceError:
        return
    drift(deployment, Plan.from_json(plan_text()), sides=SIDES)


@pytest.mark.parametrize("part", range(4))
def test_previews_and_logs_without_one_key_are_reviewed_or_refused(tmp_path: Path, part: int) -> None:
    file = tmp_path / "file"
    previews = [[each] for name in ("changes.json", "failed.json") for each in without_each_key(recorded(name))]
    logs = without_each_key(events())
    for lines in [*previews, *logs][part::4]:
        file.write_text("\n".join(map(json.dumps, lines)))
        reviewed_or_refused("--pulumi", str(file))


@pytest.mark.parametrize("damaged_side", [0, 1])
@pytest.mark.parametrize("part", ["cost", "quota", "findings"])
def test_plans_whose_figures_lack_one_key_are_reviewed_or_refused(
    tmp_path: Path, part: str, damaged_side: int
) -> None:
    sides = [tmp_path / "damaged.json", tmp_path / "right.json"]
    sides[1].write_text(plan_text())
    for figures in without_each_key(plan()[part]):
        sides[0].write_text(json.dumps(plan() | {part: figures}))
        reviewed_or_refused(*map(str, sides[:: -1 if damaged_side else 1]))


WHOLE = {
    "cut off": lambda text: text[: len(text) // 2],
    "deep list": lambda text: "[" * 100_000,
    "deep object": lambda text: '{"a":' * 100_000 + "1" + "}" * 100_000,
    "deep part": lambda text: text.replace("{", '{"outputs": ' + "[" * 100_000 + "]" * 100_000 + ",", 1),
    "not a number": lambda text: text.replace("{", '{"a": NaN,', 1),
    "huge number": lambda text: text.replace("{", '{"a": ' + "9" * 100_000 + ",", 1),
    "huge exponent": lambda text: text.replace("{", '{"a": 1e999,', 1),
    "key twice": lambda text: text.replace("{", '{"a": 1, "a": 2,', 1),
    "half of a pair": lambda text: text.replace("{", '{"a": "\\ud800",', 1),
    "NUL": lambda text: "\0" + text,
    "too large": lambda text: text + " " * (64 * 2**20),
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", WHOLE)
@pytest.mark.parametrize("kind", ["plan", "preview", "state"])
def test_a_damaged_text_is_refused_in_one_sentence(tmp_path: Path, kind: str, damage: str) -> None:
    """In little memory and time."""
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\n")
    text = {"plan": plan_text(), "preview": (DOCUMENTS / "changes.json").read_text()}.get(kind)
    file = tmp_path / "file.json"
    file.write_text(WHOLE[damage](text or (DOCUMENTS / "state.json").read_text()))
    options = {"plan": [str(file)], "preview": ["--pulumi", str(file)], "state": ["--state", str(file)]}[kind]
    done = bounded_hpc("diff", *options, *options[:1] * (kind == "plan"), cwd=tmp_path)
    assert done.returncode == 2, done.stderr[-2000:]
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")
    assert file.name in line


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    file.write_text(plan_text(), encoding="utf-8-sig")
    reviewed_or_refused(str(file), str(file))
