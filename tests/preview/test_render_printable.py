"""What a plan quotes is no command to a terminal, a browser or GitHub, in whatever way it is shown."""

import json
import re
from collections.abc import Callable

import pytest
from preview_sample import Program, plan_of

from hpc_components.preview.plan import Plan
from hpc_components.preview.render.html import render_html
from hpc_components.preview.render.markdown import render_markdown
from hpc_components.preview.render.text import render_text
from hpc_components.spec.findings import Finding, Level

NASTY = "a\x1b[31mb\x9b1mc\u202ed\x07"


@pytest.fixture
def plan() -> Plan:
    program = Program()
    program.add("aws:ec2/vpc:Vpc", NASTY)
    finding = Finding(id="HPC-X", level=Level.ERROR, path=NASTY, value=NASTY, reason=f"{NASTY}\nerror", remedy=NASTY)
    return plan_of(program, [finding])


@pytest.mark.parametrize("render", [render_text, render_markdown, render_html, Plan.to_json])
def test_control_characters_are_shown_and_not_obeyed(plan: Plan, render: Callable[[Plan], str]) -> None:
    shown = render(plan)
    assert "[31m" in shown.replace("\\[", "[")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)


def test_a_finding_does_not_become_two(plan: Plan) -> None:
    assert "\n  error" not in render_text(plan, 400)


def test_json_means_what_was_written(plan: Plan) -> None:
    assert json.loads(plan.to_json())["findings"][0]["value"] == NASTY
