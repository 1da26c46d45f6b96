"""A plan as Markdown."""

import re

import pytest
from golden import assert_golden
from hypothesis import given
from hypothesis import strategies as st
from preview_sample import FINDINGS, Program, cfd, fleet, network, plan_of

from hpc_components.preview.render.markdown import BUDGET, escaped, render_markdown


def test_golden() -> None:
    assert_golden("plan.md", render_markdown(plan_of(cfd())))


def large() -> Program:
    program = Program()
    subnets = network(program)
    for index in range(900):
        fleet(program, f"queue-{index}", ["hpc6a.48xlarge"], subnets)
    return program


def test_a_body_keeps_its_budget_and_stays_whole() -> None:
    text = render_markdown(plan_of(large()))
    assert BUDGET * 0.5 < len(text.encode()) <= BUDGET
    assert text.count("<details>") == text.count("</details>")
    assert text.count("```") % 2 == 0
    assert text.count("_More did not fit here") == 1


@pytest.mark.parametrize("budget", range(300, 12_000, 371))
def test_any_budget_is_kept_and_nothing_is_cut_in_the_middle(budget: int) -> None:
    text = render_markdown(plan_of(cfd()), budget)
    assert len(text.encode()) <= budget
    assert text.count("<details>") == text.count("</details>")
    assert text.count("```") % 2 == 0
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert all(row.endswith("|") for row in rows)


def test_all_is_there_when_there_is_room() -> None:
    text = render_markdown(plan_of(cfd()))
    assert "did not fit" not in text
    assert "348,306.88" in text
    assert "flowchart TB" in text
    assert "fs0 <--> bucket" in text


@given(st.text())
def test_escaped_text_is_no_markup(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    assert "<" not in shown
    assert not re.search(r"(?<!\\)[*_`|\[\]]", shown)
    assert not re.search("@(?!\u200b)", shown)


def test_names_cannot_break_out() -> None:
    program = Program()
    fleet(program, 'x"]\n```\n<script>@team', ["hpc6a.48xlarge"], network(program))
    text = render_markdown(plan_of(program, FINDINGS))
    assert "<script>" not in text
    assert "@team" not in text
    assert text.count("```") == 2
