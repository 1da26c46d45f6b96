"""A plan as Markdown."""

import re
from dataclasses import replace

import pytest
from golden import assert_golden
from hypothesis import given
from hypothesis import strategies as st
from preview_sample import FINDINGS, Program, cfd, fleet, network, plan_of

from hpc_components.preview.render.markdown import render_markdown
from hpc_components.report.body import BUDGET
from hpc_components.report.markdown import escaped


def test_the_markdown_is_the_reviewed_one() -> None:
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
    assert "heads --> queues\nqueues --> stores\n" in text
    assert "stores <--> buckets" in text


def test_many_queues_are_one_box() -> None:
    program = Program()
    subnets = network(program)
    for number in range(5):
        fleet(program, f"q{number}", ["hpc6a.48xlarge"], subnets)
    text = render_markdown(plan_of(program))
    diagram = text[text.index("```mermaid") :]
    assert len(re.findall(r'\["', diagram)) == 2  # people and queues
    assert diagram.count("<br>q") == 4


def test_idle_and_full_are_told_in_the_same_units() -> None:
    idle = {"hour": 1.5, "month": 1095.0, "at_least": False}
    cost = {"idle": idle, "full": {"hour": 20.0, "month": 14600.0, "at_least": False}}
    plan = plan_of(cfd())
    title = render_markdown(replace(plan, cost={**plan.cost, **cost})).splitlines()[2]
    assert "idle USD 1.50 an hour (1,095 a month), full USD 20.00 an hour (14,600 a month)" in title


def test_cost_is_told_by_what_it_is_for_and_the_lines_are_folded() -> None:
    plan = plan_of(cfd())
    text = render_markdown(plan)
    section = text[text.index("### Cost") : text.index("### Quotas")]
    titles = re.findall(r"^\| ([A-Z][a-z ]+) \|", section, re.MULTILINE)
    assert titles == ["Compute nodes", "Head and login nodes", "Storage", "Network", "Other", "Queue"]
    assert "secret" not in section
    assert f"<summary>Cost by line, {len(plan.cost['lines'])} lines</summary>" in text


@given(st.text())
def test_escaped_text_is_no_markup(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    assert "<" not in shown
    assert not re.search(r"(?<!\\)[*_`|\[\]]", shown)
    assert not re.search("@(?!\u200b)", shown)


@pytest.mark.parametrize(
    "text", ["https://evil.example", "WWW.evil.example", "(www.evil.example)", "acme/x#1", "@team"]
)
def test_texts_of_users_are_never_linked(text: str) -> None:
    """Source: GitHub Flavored Markdown, "Autolinks (extension)"; GitHub, "Autolinked references and URLs"."""
    shown = escaped(text)
    assert "\u200b" in shown
    assert not re.search(r"(?i)://|www\.|#\d|@\w", shown)


def test_names_cannot_break_out() -> None:
    program = Program()
    fleet(program, 'x"]\n```\n<script>@team', ["hpc6a.48xlarge"], network(program))
    text = render_markdown(plan_of(program, FINDINGS))
    assert "<script>" not in text
    assert "@team" not in text
    assert text.count("```") == 2
