"""The timeline as a drawing."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rehearsal_sample import empty, spot, unfinished, university
from shown_golden import assert_golden
from story_strategies import rehearsals

from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.show.html import render_picture
from hpc_components.rehearse.show.json import read_json
from hpc_components.rehearse.show.picture import MEDIUM, NARROW, WIDE, Paper, Picture, draw

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"

PAPERS = st.sampled_from([WIDE, MEDIUM, NARROW])


def rows(picture: Picture) -> dict[float, list[tuple[float, float]]]:
    """Left and right edges of the bars by their height."""
    found: dict[float, list[tuple[float, float]]] = {}
    for bar in picture.bars:
        found.setdefault(bar.y, []).append((bar.x, bar.x + bar.width))
    return found


@settings(max_examples=40, deadline=None)
@given(rehearsals(nodes=50), PAPERS)
def test_bars_do_not_overlap_and_stay_on_the_paper(rehearsal: Rehearsal, paper: Paper) -> None:
    picture = draw(rehearsal, paper)
    for bars in rows(picture).values():
        assert all(left[1] <= right[0] for left, right in pairwise(bars))
        assert bars[0][0] >= 0
        assert bars[-1][1] <= paper.width
    heights = sorted(rows(picture))
    assert all(below - above >= picture.thickness for above, below in pairwise(heights))
    assert all(picture.top < y < picture.bottom < picture.height + 1 for y in heights)


@settings(max_examples=40, deadline=None)
@given(rehearsals())
def test_any_rehearsal_is_an_svg(rehearsal: Rehearsal) -> None:
    root = ET.fromstring(render_picture(rehearsal))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("paper", [WIDE, MEDIUM, NARROW], ids=["wide", "medium", "narrow"])
@pytest.mark.parametrize("story", [spot(), unfinished(), university(), empty()], ids=lambda story: story.cluster)
def test_letters_stay_on_the_paper(story: Rehearsal, paper: Paper) -> None:
    """7 px is what a letter of 12.5 px takes in the widest of the common fonts, in the mean."""
    picture = draw(story, paper)
    assert all(label.x + 7 * len(label.text) <= paper.width for label in picture.labels)
    assert all(swatch.x + 22 + 7 * len(swatch.look.words) <= paper.width for swatch in picture.legend)
    assert all(end.x + 7 * len(end.word) <= paper.width + 2 for end in picture.ends)
    assert all(tick.last or tick.x + 7 * len(tick.text) <= paper.width for tick in picture.axis)
    assert all(7 * len(bar.word) <= bar.width for bar in picture.bars)


def test_a_short_state_is_seen() -> None:
    story = spot()
    first = story.nodes[0]
    spans = (replace(first.spans[0], end=3.1001), replace(first.spans[1], begin=3.1001), *first.spans[2:])
    picture = draw(replace(story, nodes=(replace(first, spans=spans),), jobs=()), WIDE)
    assert picture.bars[0].look.name == "wanted"
    assert picture.bars[0].width == 1


def test_marks_stand_where_they_happened() -> None:
    picture = draw(spot(), WIDE)
    busy = [bar for bar in picture.bars if bar.title == "spot-2: busy from 14.0 s to 26.3 s"]
    refusal, fault = picture.flags
    assert not refusal.mark.fault
    assert busy[0].x < fault.x < busy[0].x + busy[0].width


def test_the_picture_alone_is_whole() -> None:
    text = render_picture(spot())
    assert_golden("spot.svg", text)
    assert "24.2 s: machine i-0002 of spot-2 gets a spot notice</text>" in text
    assert "@media (prefers-color-scheme: dark)" in text


def test_the_picture_in_the_docs_is_that_of_the_recorded_rehearsal() -> None:
    """To record one: `hpc rehearse aws-cfd --format json --out docs/pictures/rehearsal.json`."""
    recorded = read_json((PICTURES / "rehearsal.json").read_text(encoding="utf-8"))
    assert recorded.passed
    assert recorded.checks
    assert all(one.code for one in (*recorded.checks, *recorded.events))
    assert_golden("rehearsal.svg", render_picture(recorded), PICTURES)
