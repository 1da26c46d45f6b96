"""A rehearsal's report on a terminal."""

from dataclasses import replace
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rehearsal_sample import empty, spot, unfinished, university
from shown_golden import assert_golden
from story_strategies import rehearsals

from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.show.text import print_rehearsal, render_text
from hpc_components.rehearse.show.wording import GOOD


@pytest.mark.parametrize(("name", "story"), [("spot.txt", spot()), ("unfinished.txt", unfinished())])
def test_the_text_is_the_reviewed_one(name: str, story: Rehearsal) -> None:
    assert_golden(name, render_text(story, 80))


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("story", [spot(), unfinished(), university(), empty()], ids=lambda story: story.cluster)
def test_no_line_is_wider_than_asked(story: Rehearsal, width: int) -> None:
    assert max(map(len, render_text(story, width).splitlines())) <= width


@settings(max_examples=40, deadline=None)
@given(rehearsals(), st.sampled_from([40, 80, 120]))
def test_any_rehearsal_is_told_without_control_codes(rehearsal: Rehearsal, width: int) -> None:
    text = render_text(rehearsal, width)
    assert not [each for each in text if each < " " and each != "\n"]


def test_colour_is_used_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    file, terminal, plainly = StringIO(), Terminal(), Terminal()
    print_rehearsal(spot(), file)
    print_rehearsal(spot(), terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    print_rehearsal(spot(), plainly)
    assert "\x1b[" not in file.getvalue()
    assert "\x1b[32m█" in terminal.getvalue()
    assert "\x1b[32m" not in plainly.getvalue()


@pytest.mark.parametrize(
    ("story", "last"),
    [
        (spot(), "passed: 4 of 4 checks, in 92.4 s"),
        (unfinished(), "failed: only 1 of 2 checks passed, in 40.0 s"),
        (empty(), "nothing was checked, in 0.0 s"),
        (replace(spot(), duration=125.2), "passed: 4 of 4 checks, in 2 min 05 s"),
    ],
)
def test_the_verdict_is_the_last_line(story: Rehearsal, last: str) -> None:
    assert render_text(story).splitlines()[-1] == last


def test_long_output_is_cut_in_the_middle() -> None:
    text = render_text(replace(spot(), output="".join(f"line {number}\n" for number in range(1, 101))))
    assert "line 8\n... 84 lines left out; --format json includes all of them\nline 93\n" in text
    assert "line 9\n" not in text
    whole = render_text(replace(spot(), output="".join(f"line {number}\n" for number in range(1, 18))))
    assert "line 9\n" in whole


def test_a_long_line_that_was_changed_is_told_whole() -> None:
    line = "SchedulerParameters=" + ",".join(f"setting_{number}={number}" for number in range(30))
    text = render_text(replace(spot(), changes=(replace(spot().changes[0], after=line),)), 80)
    assert line in "".join(each.strip().removeprefix("+ ") for each in text.splitlines())


def test_a_job_that_did_not_end_is_told_so() -> None:
    text = render_text(unfinished())
    assert "in compute-queue: still pending" in text
    assert "job 2 single in compute-queue on compute-queue-2: failed with 1:0" in text


def test_a_job_put_back_shows_both_runs() -> None:
    (row,) = [line for line in render_text(spot(), 100).splitlines() if line.startswith("job 1 mpi-hello  ")]
    assert row.count("✕") == 1
    assert row.endswith(GOOD)
    assert "requeued once: completed" in " ".join(render_text(spot()).split())


def test_every_mark_is_explained() -> None:
    lines = render_text(spot(), 100).splitlines()
    (place,) = [number for number, line in enumerate(lines) if line.split() == ["1", "2"]]
    assert [line.split(":")[0].split() for line in lines[place + 1 : place + 3]] == [
        ["1", "3.4", "s"],
        ["2", "24.2", "s"],
    ]


def test_four_hundred_nodes_and_jobs_are_a_screen() -> None:
    assert len(render_text(university(), 80).splitlines()) < 30


def test_markup_in_what_a_job_wrote_is_shown_literally() -> None:
    assert "  [bold]no markup[/bold] \\x07\n" in render_text(unfinished())
