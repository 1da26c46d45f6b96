"""Scenario pull requests: the verdict on each, and its comment."""

from pathlib import Path

import pytest
from golden_files import assert_golden

from hpc_components.review.render.markdown import render_markdown_review
from hpc_components.review.verdict import conditions
from tests.review.reviews import TIME
from tests.review.scenario import Scenario
from tests.review.scenario_reviews import review_of
from tests.review.scenarios import SCENARIOS

GOLDEN = Path(__file__).with_name("golden")

CONDITIONS = "destroy,data-loss,access,warning,error"

MOST = 65_536
"""Characters of a comment on GitHub."""


@pytest.mark.parametrize("scenario", [pytest.param(each, id=each.name) for each in SCENARIOS])
def test_a_pull_request_gets_its_verdict_and_comment(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = review_of(scenario, tmp_path, monkeypatch)
    comment = render_markdown_review(found, time=TIME)
    assert len(comment) <= MOST
    assert_golden(GOLDEN / f"{scenario.name}.md", comment)
    assert scenario.failure in found.failure
    assert bool(scenario.failure) == bool(found.failure)
    assert found.worst is scenario.worst
    for operation, effect, kind, name in scenario.meets:
        met = [
            (change.operation, change.effect)
            for change in found.changes
            if change.type.endswith(f":{kind}") and change.name.endswith(name)
        ]
        assert met == [(operation, effect)], name
    assert tuple(change.path for change in found.description) == scenario.described
    assert tuple(finding["id"] for finding in found.findings.new) == scenario.new
    assert " ".join(each.word for each in conditions(CONDITIONS) if each.holds(found)) == scenario.holds


def test_each_golden_comment_is_of_a_scenario() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {scenario.name for scenario in SCENARIOS}
    assert len(SCENARIOS) >= 30
    for cloud in ("aws", "azure", "gcp"):
        assert sum(scenario.stack.startswith(f"{cloud}-") for scenario in SCENARIOS) >= 8
