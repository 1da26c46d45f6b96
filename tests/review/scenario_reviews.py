"""The reviews of scenarios."""

from pathlib import Path

import pytest
from planned_changes import plan_of, planned, stack_text
from stack_recordings import PROJECT

from hpc_components.preview.plan import Plan
from hpc_components.review.document import Review, Side
from hpc_components.review.make import review
from hpc_components.review.side_labels import WORKING_TREE
from hpc_components.review.sources import Source, reviews_of
from tests.review.scenario import Scenario

_SIDES = (
    Side(source="main", commit="1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"),
    Side(source="topic", commit="5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f80"),
)


def review_of(scenario: Scenario, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Review:
    """The review as a pull request gets it. What can't be planned fails in `folder`, in a process of its own."""
    before, after = sides_of(scenario)
    if not scenario.failure:
        return review(_older(scenario, before), _newer(scenario, after), sides=_SIDES)
    _write_project(scenario, after or "", folder)
    monkeypatch.chdir(folder)
    main, here = Side(source="main"), Side(source=WORKING_TREE)
    (found,) = reviews_of(Source(main, _older(scenario, before)), Source(here))
    return found


def sides_of(scenario: Scenario) -> tuple[str | None, str | None]:
    """The text of the stack file on both sides; None where there is none."""
    common = scenario.before or ()
    before = None if scenario.before is None else stack_text(scenario.stack, *common)
    after = None if scenario.after is None else stack_text(scenario.stack, *common, *scenario.after)
    return before, after


def _older(scenario: Scenario, text: str | None) -> Plan | None:
    if text is None:
        return None
    if text == stack_text(scenario.stack) and not scenario.files_before:
        return plan_of(scenario.stack)  # that of other scenarios too
    return planned(scenario.stack, text, scripts=scenario.files_before)


def _newer(scenario: Scenario, text: str | None) -> Plan | None:
    if text is None:
        return None
    return planned(scenario.stack, text, scripts=scenario.files_after, provider=scenario.provider)


def _write_project(scenario: Scenario, text: str, folder: Path) -> None:
    """A copy of this project with that stack alone."""
    program = (PROJECT.main / "__main__.py").relative_to(PROJECT.root)
    config = (PROJECT.stack_dir / f"Pulumi.{scenario.stack}.yaml").relative_to(PROJECT.root)
    (folder / config).parent.mkdir(parents=True)
    (folder / config).write_text(text)
    (folder / program).write_text(scenario.program or (PROJECT.root / program).read_text())
    (folder / "Pulumi.yaml").write_text((PROJECT.root / "Pulumi.yaml").read_text())
