"""The verdict of two plans compared is that of the real engine's preview, where both can express a pull request.

What this proves: which resources the engine creates, deletes, replaces and changes, what follows from what, where
protection stops it, what the cluster then costs and which quotas it needs is what `hpc diff` says without it. What it
does not prove: that a cloud's provider replaces what it is said to replace. Stand-in providers decide that, by tables
of their own (`testing` of each cloud), which come from the same sources as those of reviews but were written apart: a
mistake in both is not found. Where the two differ, `OTHERWISE` says who is right.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from planned_changes import planned

from hpc_components.preview.plan import Plan
from hpc_components.preview.resources import UNKNOWN
from hpc_components.review.document import Change, Side
from hpc_components.review.engine.files import read_run
from hpc_components.review.engine.make import review_of_run
from hpc_components.review.make import review
from hpc_components.review.paths import parsed
from hpc_components.review.wording import stops
from hpc_components.testing.engine import Engine, EngineError
from tests.review.scenario import Scenario
from tests.review.scenario_reviews import sides_of
from tests.review.scenarios import SCENARIOS

pytestmark = [pytest.mark.engine, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
SIDES = Side(source="before"), Side(source="after")

OTHERWISE = {
    # A new zone can only be that of a new file system. The provider may try an update all the same, which the table
    # of reviews says; the stand-in's table replaces it, and with it what names it.
    "azure_zone": {"cfd-scratch", "cfd-scratch-export", "cfd-config/common/mounts.json"},
    # The engine deletes the old template before the subnet that it names, a step that `preview --json` leaves out.
    "gcp_region": {"dev-debug-c2d-standard-112-us-central1-a"},
}
"""By scenario, the resources of which the two say something else."""


NOT_PERFORMED = {"aws_export_turned_off", "aws_keys_removed", "aws_login_key_removed"}
"""Scenarios in which a provider keeps what is removed: a stand-in has no values but those that it is given."""


def groups() -> dict[str, list[Scenario]]:
    """The scenarios that the engine can run, those of one deployed stack together."""
    found: dict[str, list[Scenario]] = defaultdict(list)
    for each in SCENARIOS:
        if each.name in NOT_PERFORMED:
            continue
        if not (each.failure or each.program or each.provider or each.files_before or each.files_after):
            found[f"{each.stack}, {'new' if each.before is None else each.before or 'as it is'}"].append(each)
    return found


@pytest.mark.parametrize("scenarios", groups().values(), ids=groups().keys())
def test_the_engine_says_the_same(
    engine_for: Callable[[Path], Engine], scenarios: Sequence[Scenario], tmp_path: Path
) -> None:
    engine, stack = engine_for(ROOT), scenarios[0].stack
    file = engine.project_dir / "stacks" / "config" / f"Pulumi.{stack}.yaml"
    before, _ = sides_of(scenarios[0])
    if before is not None:
        file.write_text(before)
        engine.up(stack)
    else:
        engine.pulumi("stack", "init", stack, "--secrets-provider", "passphrase")
    state = tmp_path / "state.json"
    state.write_text(engine.pulumi("stack", "export", "--stack", stack))
    salt = next(line for line in file.read_text().splitlines() if line.startswith("encryptionsalt"))
    older = planned(stack, before) if before else None
    for scenario in scenarios:
        _, after = sides_of(scenario)
        file.write_text(f"{after or before}\n{salt}\n")
        plans = older, planned(stack, after) if after else None
        ours = review(*plans, sides=SIDES)
        text, is_stopped = previewed(engine, stack, state, is_gone=after is None)
        (tmp_path / "preview").write_text(text)
        theirs = review_of_run(read_run(tmp_path / "preview"), SIDES[1])
        assert theirs.failure == "", scenario.name
        ours_known = {change.urn for change in ours.changes}
        told = [change for change in theirs.changes if change.urn in ours_known or not is_hidden(change, plans)]
        assert verdict(told, scenario) == verdict(ours.changes, scenario), scenario.name
        if scenario.name not in OTHERWISE:
            assert is_stopped == any(map(stops, ours.changes)), scenario.name
            assert (theirs.cost, theirs.quotas) == (ours.cost, ours.quotas), scenario.name


def previewed(engine: Engine, stack: str, state: Path, *, is_gone: bool) -> tuple[str, bool]:
    """What the engine is about to do, also where protection stops it; and whether that does."""
    command = ("destroy", "--preview-only") if is_gone else ("preview", "--show-sames")
    command = (*command, "--json", "--stack", stack)
    with suppress(EngineError):
        return engine.pulumi(*command), False
    engine.unprotect(stack)
    text = engine.pulumi(*command)  # fails again, if it was not the protection
    engine.pulumi("stack", "import", "--stack", stack, "--file", str(state))
    return text, True


def verdict(changes: Iterable[Change], scenario: Scenario) -> dict[str, tuple[str, str]]:
    """Operation and effect of each resource, but for what differs for known reasons."""
    return {
        change.urn: (change.operation, change.effect)
        for change in changes
        if change.name not in OTHERWISE.get(scenario.name, ())
        and not change.type.startswith("pulumi:providers:")  # a stand-in takes any configuration as the same
    }


def is_hidden(change: Change, plans: Iterable[Plan | None]) -> bool:
    """Whether all that changes is unknown to a plan on both sides, as in the list of all files with their sums."""
    sides = [each.inputs for plan in plans if plan for each in plan.resources if each.urn == change.urn]
    inputs = {parsed(each.path)[0] for each in change.properties}
    return (
        bool(inputs) and len(sides) == 2 and all(side.get(str(name)) == UNKNOWN for side in sides for name in inputs)
    )
