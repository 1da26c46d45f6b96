"""Times cut into columns, nodes folded into rows."""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rehearsal_sample import life, node, spot, university
from story_strategies import lives, rehearsals

from hpc_components.rehearse.events import Code, Event, Kind, NodeState
from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.show.timeline import columns, fold_names, job_rows, marks, node_rows, ticks

DURATION = 100.0


@given(lives(DURATION, tuple(NodeState)), st.integers(1, 200))
def test_no_two_spans_share_a_column_and_each_has_one(spans, width: int) -> None:
    pieces = columns(spans, DURATION, width)
    assert len(pieces) == min(len(spans), width)
    assert all(0 <= piece.first < piece.end <= width for piece in pieces)
    assert all(earlier.end <= later.first for earlier, later in pairwise(pieces))
    in_order = iter(spans)
    assert all(any(piece.span is span for span in in_order) for piece in pieces)


@given(lives(DURATION, tuple(NodeState)), st.integers(1, 200))
def test_a_span_stands_where_its_time_is(spans, width: int) -> None:
    """Off by no more columns than there are spans, each of which may need one more than its time would give it."""
    for piece in columns(spans, DURATION, width):
        assert abs(piece.first - piece.span.begin * width / DURATION) <= len(spans) + 1
        assert abs(piece.end - piece.span.end * width / DURATION) <= len(spans) + 1


@given(lives(DURATION, tuple(NodeState)), st.integers(40, 200))
def test_spans_without_a_gap_are_pieces_without_a_gap(spans, width: int) -> None:
    assert all(earlier.end == later.first for earlier, later in pairwise(columns(spans, DURATION, width)))


def test_much_at_the_very_end_has_its_columns_too() -> None:
    spans = life(100, (0, "busy"), (99.7, "idle"), (99.8, "leaving"), (99.9, "gone"))
    assert [(piece.first, piece.end) for piece in columns(spans, 100, 10)] == [(0, 7), (7, 8), (8, 9), (9, 10)]


def test_a_gap_in_time_is_a_gap_in_columns() -> None:
    spans = (*life(30, (10, "busy")), *life(100, (70, "busy")))
    assert [(piece.first, piece.end) for piece in columns(spans, 100, 10)] == [(1, 3), (7, 10)]


def test_of_more_spans_than_columns_the_longest_stay() -> None:
    spans = life(100, (0, "idle"), (50, "busy"), (51, "idle"), (52, "busy"))
    assert [piece.span.begin for piece in columns(spans, 100, 2)] == [0, 52]


@pytest.mark.parametrize(("duration", "width"), [(0, 80), (10, 0)])
def test_no_time_or_no_room_is_no_column(duration: float, width: int) -> None:
    assert columns(life(10, (0, "busy")), duration, width) == ()


@given(st.lists(st.tuples(st.sampled_from(["compute-queue", "gpu", "a-1"]), st.integers(1, 500)), unique=True))
def test_folded_names_are_all_names(nodes: list[tuple[str, int]]) -> None:
    folded = fold_names(f"{queue}-{number}" for queue, number in nodes)
    assert Counter(expanded(folded)) == Counter(f"{queue}-{number}" for queue, number in nodes)


def expanded(hostlist: str) -> list[str]:
    """As `scontrol show hostnames` does it."""
    names = []
    for prefix, inside in re.findall(r"([^\[\],]+)(?:\[([\d,-]+)\])?", hostlist):
        if not inside:
            names.append(prefix)
        for run in inside.split(",") if inside else ():
            first, _, last = run.partition("-")
            names += [f"{prefix}{number}" for number in range(int(first), int(last or first) + 1)]
    return names


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        (["cpu-1"], "cpu-1"),
        (["cpu-3", "cpu-1", "cpu-2", "cpu-7"], "cpu-[1-3,7]"),
        (["cpu-33", "cpu-2"], "cpu-[2,33]"),
        (["cpu-1", "gpu-1", "cpu-2"], "cpu-[1-2],gpu-1"),
        (["head", "cpu-1"], "cpu-1,head"),
        ([], ""),
    ],
)
def test_names_are_folded_as_slurm_writes_them(names: list[str], folded: str) -> None:
    assert fold_names(names) == folded


@settings(max_examples=40, deadline=None)
@given(rehearsals(nodes=30), st.integers(1, 12))
def test_no_node_and_no_job_gets_lost(rehearsal: Rehearsal, most: int) -> None:
    for rows, all_of_them in ((node_rows, rehearsal.nodes), (job_rows, rehearsal.jobs)):
        shown, left_out = rows(rehearsal, most)
        assert len(shown) <= most
        together = [life for row in shown for life in row.lives]
        assert len(together) + left_out == len(all_of_them)
        assert len({id(life) for life in together}) == len(together)


def test_few_nodes_have_a_row_each() -> None:
    assert [row.label for row in node_rows(spot(), 5)[0]] == ["spot-1", "spot-2", "spot-3", "spot-4", "spot-5"]


def test_many_nodes_that_live_alike_share_a_row() -> None:
    rows, left_out = node_rows(university(), 24)
    assert ([row.label for row in rows], left_out) == (["nlp-[1-399]", "nlp-400"], 0)
    assert [row.label for row in job_rows(university(), 24)[0]] == ["jobs 1-400 train"]


def test_where_room_is_short_trouble_is_shown_first() -> None:
    rows, left_out = node_rows(university(), 1)
    assert ([row.label for row in rows], left_out) == (["nlp-400"], 399)


def test_faults_and_refusals_are_marked_once_each() -> None:
    story = spot()
    twice = Rehearsal(**{**vars(story), "events": story.events * 2})
    assert [(mark.number, mark.t, mark.fault) for mark in marks(twice)] == [(1, 3.4, False), (2, 24.2, True)]


def test_a_refusal_is_known_by_its_code_whatever_its_sentence() -> None:
    refused = Event(t=1, kind=Kind.CLOUD, code=Code.NO_CAPACITY, words="the pool is empty", pool="c7i.large")
    other = Event(t=2, kind=Kind.CLOUD, code=Code.BOOT_FAILED, words="no capacity on the disk", node="spot-1")
    story = replace(spot(), events=(refused, other))
    assert [mark.words for mark in marks(story)] == ["the pool is empty"]


@given(st.floats(0, 1e6), st.integers(1, 40))
def test_ticks_are_few_and_inside(duration: float, most: int) -> None:
    times = [t for t, _ in ticks(duration, most)]
    assert times[0] == 0
    assert len(times) <= most
    assert times[-1] <= duration
    assert len({later - earlier for earlier, later in pairwise(times)}) <= 1


def test_ticks_are_written_alike() -> None:
    assert [text for _, text in ticks(100, 6)] == ["0 s", "20 s", "40 s", "60 s", "80 s", "100 s"]
    assert [text for _, text in ticks(300, 6)] == ["0:00", "1:00", "2:00", "3:00", "4:00", "5:00"]


def test_a_node_that_comes_twice_has_both_lives() -> None:
    spans = node("cpu-1", 100, (10, "booting"), (20, "gone"), (60, "booting")).spans
    assert [(piece.first, piece.span.state) for piece in columns(spans, 100, 10)] == [
        (1, "booting"), (2, "gone"), (6, "booting"),
    ]  # fmt: skip
