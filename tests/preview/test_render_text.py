"""A plan on a terminal."""

from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from golden import assert_golden
from preview_sample import Program, cfd, plan_of

from hpc_components.preview.render.text import print_plan, render_text


def test_the_text_is_the_reviewed_one() -> None:
    assert_golden("plan.txt", render_text(plan_of(cfd())))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_asked(width: int) -> None:
    assert max(map(len, render_text(plan_of(cfd()), width).splitlines())) <= width


def test_eighty_columns_show_numbers_and_machines_whole() -> None:
    text = render_text(plan_of(cfd()))
    for shown in ("348,306.88", "hpc6a.48xlarge", "L-F7808C92", "[protected]", "2 LaunchTemplate"):
        assert shown in text


def test_colour_is_used_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    plan = plan_of(cfd())

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    file, terminal, plainly = StringIO(), Terminal(), Terminal()
    print_plan(plan, file)
    print_plan(plan, terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    print_plan(plan, plainly)
    assert "\x1b[" not in file.getvalue()
    assert "\x1b[36m" in terminal.getvalue()
    assert "\x1b[36m" not in plainly.getvalue()


def test_names_are_shown_literally() -> None:
    program = Program()
    program.add("aws:ec2/vpc:Vpc", "[bold]x[/bold] \x1b[31mred")
    text = render_text(plan_of(program))
    assert "[bold]x[/bold]" in text
    assert "\x1b" not in text


def test_silenced_findings_are_counted_and_not_shown() -> None:
    text = render_text(plan_of(cfd()))
    assert "HPC-SLM-002" not in text
    assert "1 finding silenced." in text
    assert "none" in render_text(plan_of(cfd(), findings=()))


def test_a_plan_without_cost_or_quota_has_no_such_parts() -> None:
    plan = replace(plan_of(Program(), findings=()), quota=[])
    text = render_text(plan)
    assert "Cost" not in text
    assert "Quotas" not in text


def test_many_lines_are_folded_into_one_that_keeps_the_sum() -> None:
    program = Program()
    for index in range(40):
        program.add("aws:ec2/eip:Eip", f"address-{index}")
    plan: Any = plan_of(program)
    text = render_text(plan)
    assert "28 smaller lines" in text
    assert "0.140" in text  # 28 x 0.005
