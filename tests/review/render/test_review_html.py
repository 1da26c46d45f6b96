"""Reviews as one page."""

import base64
import hashlib
import re
from html import unescape
from pathlib import Path

import pytest
from golden_files import assert_golden
from html_page import Page
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.review.render.html import render_html_review
from tests.review.reviews import HOSTILE, REVIEWS, TIME, data_lost, failure, hostile, large, live_update, new_stack

GOLDEN = Path(__file__).with_name("golden")


def test_the_page_is_the_reviewed_one() -> None:
    assert_golden(GOLDEN / "reviews.html", render_html_review([data_lost(), live_update(), failure()], time=TIME))


@pytest.mark.parametrize("name", REVIEWS)
def test_every_review_makes_a_sound_page(name: str) -> None:
    page = Page(render_html_review([REVIEWS[name]()]))
    assert len(page.of("h2")) == 1
    assert len(page.of("nav")) == 0  # of a single stack


def test_several_stacks_are_linked() -> None:
    page = Page(render_html_review([data_lost(), live_update()]))
    links = {(link["href"] or "").removeprefix("#") for link in page.of("a")}
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert links == set(ids) == {"stack-1", "stack-2"}


def test_nothing_is_fetched_and_nothing_runs() -> None:
    page = Page(render_html_review([hostile(), data_lost()]))
    assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    for _, attributes in page.tags:
        assert not {"src", "style", "srcset", "background"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")


def test_the_policy_names_the_style_that_is_there() -> None:
    text = render_html_review([data_lost()])
    match = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert match is not None
    digest = base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in text


@given(st.text(min_size=1, max_size=30))
def test_texts_are_shown_literally(text: str) -> None:
    tags = [tag for tag, _ in Page(render_html_review([hostile(text)])).tags]
    known = [tag for tag, _ in Page(render_html_review([hostile("x")])).tags]
    assert {tag: tags.count(tag) for tag in ("li", "section", "details", "td", "p")} == {
        tag: known.count(tag) for tag in ("li", "section", "details", "td", "p")
    }


def test_control_characters_are_written_out() -> None:
    assert "\x1b" in HOSTILE
    assert "\x1b" not in render_html_review([hostile()])


def test_nothing_is_cut_from_the_page() -> None:
    text = unescape(render_html_review([large()]))
    assert "did not fit" not in text
    for number in range(200):
        assert f"The nodes of queue-{number:03} are drained." in text
        assert f"+NodeName=queue-{number:03}-[1-32]" in text
        assert f"queues[{number}].max" in text


def test_files_of_one_side_are_there_in_full() -> None:
    text = render_html_review([new_stack()])
    assert "<ins>+ClusterName=cfd</ins>" in text
    assert ">new</span></summary>" in text
