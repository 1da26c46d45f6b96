"""A rehearsal as one self-contained page."""

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from html_page import Page
from rehearsal_sample import empty, spot, unfinished, university
from shown_golden import assert_golden

from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.show.html import render_html

STORIES = pytest.mark.parametrize(
    "story", [spot(), unfinished(), university(), empty()], ids=lambda each: each.cluster
)


def test_the_page_is_the_reviewed_one() -> None:
    assert_golden("spot.html", render_html(spot()))


@STORIES
def test_nothing_is_fetched_and_nothing_runs(story: Rehearsal) -> None:
    text = render_html(story)
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}  # a name, not an address
    found = Page(text)
    assert not {tag for tag, _ in found.tags} & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    for _, attributes in found.tags:
        assert not {"src", "style", "srcset", "background"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    assert "@import" not in text
    assert "url(" not in text


def test_the_policy_names_the_style_that_is_there() -> None:
    text = render_html(spot())
    match = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert match is not None
    digest = base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()
    [policy] = [meta["content"] for meta in Page(text).of("meta") if meta.get("http-equiv")]
    assert policy is not None
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}"])
def test_words_are_shown_literally(words: str) -> None:
    story = spot()
    told = replace(
        story, cluster=words, here=words, command=words, output=words, accounting=words, fault=words,
        checks=tuple(replace(check, what=words, detail=words) for check in story.checks),
        changes=tuple(replace(change, before=words, why=words) for change in story.changes),
        events=tuple(replace(event, words=words) for event in story.events),
        nodes=tuple(replace(node, machine=words) for node in story.nodes),
        jobs=tuple(replace(job, name=words, queue=words) for job in story.jobs),
    )  # fmt: skip
    found = Page(render_html(told))
    assert not {"script", "img"} & {tag for tag, _ in found.tags}
    assert ("h1", f"Rehearsal of {words}") in found.words
    assert ("pre", words) in found.words
    assert "49" not in [word for _, word in found.words]


@STORIES
def test_headings_go_down_one_by_one_ids_are_unique_and_links_lead_somewhere(story: Rehearsal) -> None:
    found = Page(render_html(story))
    levels = [int(tag[1]) for tag, _ in found.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in found.of("a"):
        assert (link["href"] or "").removeprefix("#") in ids


def test_the_pictures_are_told_in_words() -> None:
    found = Page(render_html(spot()))
    ids = {attributes.get("id") for _, attributes in found.tags}
    pictures = found.of("svg")
    assert len(pictures) == 3  # for wide, medium and narrow pages
    for picture in pictures:
        assert picture["role"] == "img"
        assert set((picture["aria-labelledby"] or "").split()) <= ids
    described = [words for tag, words in found.words if tag == "desc"]
    assert len(described) == 3
    for words in described:
        assert "spot-2: wanted from 3.1 s, booting from 3.4 s" in words
        assert "Mark 2 at 24.2 s: machine i-0002 of spot-2 gets a spot notice." in words


def test_tables_name_their_columns_and_scroll_by_keyboard() -> None:
    found = Page(render_html(spot()))
    assert all("scope" in cell for cell in found.of("th"))
    regions = [each for each in found.of("div") if each.get("class") == "table"]
    assert len(regions) == 3  # jobs, nodes, events
    assert all(each["tabindex"] == "0" and each["aria-label"] for each in regions)


def test_nodes_without_a_start_or_an_end_are_shown_as_such() -> None:
    words = [word for tag, word in Page(render_html(unfinished())).words if tag == "td"]
    assert words.count("never") == 1
    assert words.count("still there") == 2


def test_a_check_that_did_not_hold_makes_it_failed() -> None:
    found = Page(render_html(unfinished()))
    assert ("dd", "Failed") in found.words
    assert ("span", "Did not hold") in found.words
    assert ("dd", "Passed") in Page(render_html(spot())).words
    assert ("dd", "Unchecked") in Page(render_html(empty())).words


def test_a_page_of_four_hundred_nodes_is_small() -> None:
    assert len(render_html(university()).encode()) < 150_000
