"""A review as the comment of a pull request."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from golden_files import assert_golden
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hpc_components.report.body import BUDGET
from hpc_components.review.document import Review
from hpc_components.review.render.markdown import marked_stack, marker, render_markdown_review
from tests.html_page import Page
from tests.review.reviews import (
    HOSTILE,
    REVIEWS,
    TIME,
    data_lost,
    failure,
    hostile,
    large,
    live_update,
    nothing_changes,
)

GOLDEN = Path(__file__).with_name("golden")

TAGS = {
    "br", "code", "details", "em", "h2", "h3", "li", "p", "pre", "strong", "sub", "summary", "table", "tbody", "td",
    "th", "thead", "tr", "ul",
}  # fmt: skip
"""What a comment is made of."""


@pytest.mark.parametrize("name", REVIEWS)
def test_the_comment_is_the_reviewed_one(name: str) -> None:
    assert_golden(GOLDEN / f"{name}.md", render_markdown_review(REVIEWS[name](), time=TIME))


class Comment(Page):
    """A comment as GitHub would show it. AssertionError if a tag is open, or none of ours."""

    def __init__(self, text: str) -> None:
        self.comments: list[str] = []
        markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
        super().__init__(markdown.render(text))
        assert {tag for tag, _ in self.tags} <= TAGS

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @property
    def titles(self) -> list[str]:
        return [words for tag, words in self.words if tag in ("h3", "summary")]


def assert_sound(review: Review, budget: int = BUDGET) -> Comment:
    """The comment keeps the budget, is closed at its end, and holds nothing but what we make."""
    text = render_markdown_review(review, budget, time=TIME)
    assert len(text.encode()) <= budget
    shown = Comment(text)
    assert len(shown.comments) == 1
    assert text.startswith(f"<!--{shown.comments[0]}-->\n")
    return shown


MARKUP = st.text(alphabet="`<>/@|*_[]()!#-~\\\n\"'& \tdeailsx", min_size=1, max_size=30)


@given(st.text(min_size=1, max_size=30) | MARKUP)
@example(HOSTILE)
@example("</details><!--")
@example("<details>")
@example("\ud800\x00\\|")
def test_no_text_breaks_out_of_its_place(text: str) -> None:
    shown = assert_sound(hostile(text))
    plain = [tag for tag, _ in shown.tags]
    counts = {tag: plain.count(tag) for tag in ("details", "summary", "h2", "h3", "tr", "td")}
    assert counts == {"details": 5, "summary": 5, "h2": 1, "h3": 9, "tr": 9, "td": 26}
    for tag, words in shown.words:
        assert tag in ("code", "pre") or not re.search("@(?!\u200b)", words)


@given(st.text(max_size=50), st.text(max_size=50))
def test_no_error_breaks_out_of_its_fence(one: str, other: str) -> None:
    shown = assert_sound(replace(failure(), failure=f"{one}\n```\n</details>\n{other}"))
    assert [tag for tag, _ in shown.tags].count("pre") == 1


@pytest.mark.parametrize("name", REVIEWS)
@pytest.mark.parametrize("budget", [1_000, 1_501, 2_003, 2_507, 3_511, 5_003, 8_009, 12_011])
def test_any_budget_is_kept_and_nothing_is_cut_in_the_middle(name: str, budget: int) -> None:
    assert_sound(REVIEWS[name](), budget)


def test_a_very_large_review_says_that_it_is_cut_and_names_all_that_ends() -> None:
    text = render_markdown_review(large())
    assert 0.7 * BUDGET < len(text.encode()) <= BUDGET
    assert text.rstrip().endswith(
        "_More did not fit here; `hpc diff --format html --out review.html 1a2b3c4d5e6f 5d6e7f8091a2 -- aws-cfd` "
        "shows all._"
    )
    [section] = re.findall("### What is lost or interrupted\n(.*?)\n### ", text, re.DOTALL)
    named = set(re.findall(r"queue-\d{3}", section))
    assert len(named) >= 65  # those told in words, and forty of the rest
    assert "and 135 more" in section
    assert "slurm.conf</code> 200 lines added, 200 removed" in text
    assert "```mermaid" in text


def test_the_destructive_comes_first_and_open() -> None:
    text = render_markdown_review(data_lost())
    titles = assert_sound(data_lost()).titles
    assert titles[:2] == ["What is lost or interrupted", "What to look at"]
    assert text.index("is replaced. FSx only grows") < text.index("<details>")
    assert "Because `storageCapacity`: `4800` → `2400`<br>→ Copy what is needed" in text
    assert "**Protected**: Pulumi stops here" in text
    assert "Follows from **LustreFileSystem** `cfd-scratch`" in text


def test_the_verdict_is_one_line() -> None:
    lines = render_markdown_review(data_lost()).splitlines()
    assert lines[5] == (
        "🛑 **Data on cfd-scratch is lost; nodes end; queue spot is removed: drain it first; queue gpu is new "
        "\\(1 resource to replace, 1 to delete, 1 to change, 1 to create, 1 file to change\\); "
        "Pulumi stops at 1 protected resource; 1 error.**"
    )


def test_nothing_changes_is_short() -> None:
    text = render_markdown_review(nothing_changes(), time=TIME)
    assert "✅ **Nothing changes.**" in text
    assert len(text.splitlines()) == 6


def test_a_failure_takes_the_place_of_an_earlier_comment() -> None:
    text = render_markdown_review(failure())
    assert (
        text.splitlines()[0]
        == render_markdown_review(live_update()).splitlines()[0]
        == marker(failure().project, failure().stack)
    )
    assert "✅" not in text
    assert "queues[0].max: 0 is below queues[0].min, 1\n  set max to 1 or more\n```" in text


def test_of_a_long_error_the_end_is_shown() -> None:
    error = "\n".join(f"line {number}" for number in range(20_000))
    text = render_markdown_review(replace(failure(), failure=error))
    assert 0.9 * BUDGET < len(text.encode()) <= BUDGET
    assert "line 19999\n```" in text
    assert "\nline 0\n" not in text
    assert "x" * 1000 in render_markdown_review(replace(failure(), failure="x" * 100_000))


def test_a_marker_is_of_one_stack_and_ends_where_it_should() -> None:
    review = replace(nothing_changes(), project="a-->b", stack="c/d")
    line = marker(review.project, review.stack)
    assert line == "<!-- hpc-review: a--%3Eb/c%2Fd -->"
    assert marked_stack(review.project, line) == review.stack
    assert marked_stack("another", line) is None


def test_slurm_conf_comes_first_among_the_files() -> None:
    text = render_markdown_review(live_update())
    assert text.index("slurm.conf</code>") < text.index("<code>compute/queues")
    assert "\n-NodeName=compute-[1-16] " in text
    assert "\n+NodeName=compute-[1-32] " in text


def test_secrets_and_unknowns_are_marks_and_noise_is_a_count() -> None:
    text = render_markdown_review(REVIEWS["new_nodes"]())
    assert "- `userData`: (secret), another one\n" in text
    assert "- `networkInterfaces[0].subnetId`: (unknown) → (none)\n" in text
    assert "- not shown: 1 change of providers' versions and of derived inputs\n" in text
    assert "7.51.1" not in text


def test_a_commit_is_told_once() -> None:
    review = nothing_changes()
    same = replace(review, before=replace(review.before, source="1a2b3c4d"), after=replace(review.after, commit=""))
    assert "us-east-2: `1a2b3c4` → `faster-queues`\n" in render_markdown_review(same)
