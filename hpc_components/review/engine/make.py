from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from hpc_components.preview.clouds import cloud_of_resources
from hpc_components.preview.cost import cost_of
from hpc_components.preview.quota import quotas_of
from hpc_components.preview.rates import Rates, rates_in
from hpc_components.preview.resources import Resources
from hpc_components.review.access import openings, with_grants
from hpc_components.review.cost import cost_change
from hpc_components.review.document import CostChange, FindingChanges, Gap, Part, QuotaChange, Review, Side
from hpc_components.review.engine.changes import changes_of
from hpc_components.review.engine.run import Run, Step
from hpc_components.review.engine.states import State, region_of, resources_of, split_urn
from hpc_components.review.make import (
    failed_review,
    file_changes,
    quota_changes,
    remaining,
    with_files,
    with_mounts,
)
from hpc_components.review.people import has_people, people_changes
from hpc_components.review.side_labels import DEPLOYED
from hpc_components.review.table import ChangeTable
from hpc_components.spec.project import CLUSTER_KEY
from hpc_components.strict_json import InvalidJsonError, parse_json

NO_DESCRIPTION = "Pulumi does not store the description of the deployed cluster"
_NO_FINDINGS = "rules check a description, which previews don't include; use `hpc validate`"
_PARTIAL = "the file lacks some resources or dependencies; `pulumi preview --json --show-sames` includes all of them"
_NO_POLICIES = "`pulumi preview --json` leaves out policy violations; an event log includes them"
_NO_TEXTS = "an event log doesn't include the text of files; `pulumi preview --json` does"

_ANY_FILE = {"asset": {"text": "..."}}


def review_of_run(run: Run, file: Side) -> Review:
    """Review a preview or update that was read from `file`. If the run failed, the review contains only the reason.

    Raise ValueError if the run has no steps, because its stack is then unknown.
    """
    if not run.steps:
        raise ValueError("the stack of a run without steps is unknown")
    stack, project, *_ = split_urn(run.steps[0].urn)
    sides = Side(source=DEPLOYED), file
    if run.failure:
        return failed_review(stack, project, run.failure, sides=sides)
    states = _states(run.steps)
    before, after = map(resources_of, states)
    cloud = cloud_of_resources(after if run.is_whole and len(after) else [*before, *after])
    described = _described(run.config)
    region = region_of(states[1], cloud, run.config) or str(described.get("region", ""))
    clouds = cloud_of_resources(before, cloud), cloud
    regions = region_of(states[0], clouds[0], {}) or region, region
    table = ChangeTable.for_clouds_of(before, after)
    sides_with_texts = _with_file_texts(before), _with_file_texts(after)
    changes = with_files(changes_of(run, before, after, table), sides_with_texts)
    kept = remaining(changes)
    rates = rates_in(described)
    cost, quotas = _figures((before, after), clouds, regions, kept, rates) if run.is_whole else (None, ())
    is_known = not run.is_whole or bool(len(before) and len(after))
    opened, closed = openings(before, after) if is_known else ((), ())
    return Review(
        stack=stack,
        project=project,
        cloud=cloud,
        cluster=str(described.get("name", stack)),
        region=region,
        before=sides[0],
        after=sides[1],
        changes=with_mounts(with_grants(changes, before, after) if is_known else changes, before, described),
        opened=opened,
        closed=closed,
        people=people_changes(before, after) if is_known else (),
        files=tuple(file_changes(before, after)),
        findings=FindingChanges(now=run.violations),
        cost=cost,
        quotas=quotas,
        gaps=tuple(_gaps(run, (before, after), sides_with_texts)),
    )


def _states(steps: Iterable[Step]) -> tuple[list[State], list[State]]:
    """Return the resources before and after the run, without duplicates. Leftovers of interrupted replacements are
    ignored.
    """
    ordered = sorted(steps, key=lambda step: step.op != "delete-replaced")
    old = {step.urn: step.old for step in ordered if step.old}
    new = {step.urn: step.new for step in ordered if step.new}
    return list(old.values()), list(new.values())


def _described(config: Mapping[str, str]) -> Mapping[str, Any]:
    try:
        found = parse_json(config.get(CLUSTER_KEY, "{}"))
    except InvalidJsonError:  # redacted, because part of the description is encrypted
        return {}
    return found if isinstance(found, dict) else {}


def _figures(
    sides: tuple[Resources, Resources],
    clouds: tuple[str, str],
    regions: tuple[str, str],
    kept: Collection[str],
    rates: Rates,
) -> tuple[CostChange, tuple[QuotaChange, ...]]:
    placed = list(zip(sides, clouds, regions, strict=True))
    costs = (cost_of(*each, rates=rates) if len(each[0]) else None for each in placed)
    return cost_change(*costs, kept), tuple(quota_changes(*(quotas_of(*each) for each in placed)))


def _gaps(run: Run, sides: Iterable[Resources], sides_with_texts: Iterable[Resources]) -> Iterator[Gap]:
    yield Gap(part=Part.DESCRIPTION, reason=NO_DESCRIPTION)
    yield Gap(part=Part.FINDINGS, reason=_NO_FINDINGS)
    if not run.is_whole:
        yield Gap(part=Part.COST, reason=_PARTIAL)
        yield Gap(part=Part.QUOTAS, reason=_PARTIAL)
    if not run.has_policies:
        yield Gap(part=Part.POLICIES, reason=_NO_POLICIES)
    if any(_is_elided(value) for side in sides for each in side for value in each.inputs.values()):
        yield Gap(part=Part.FILES, reason=_NO_TEXTS)
        if any(map(has_people, sides_with_texts)):
            yield Gap(part=Part.PEOPLE, reason=_NO_TEXTS)


def _with_file_texts(resources: Resources) -> Resources:
    """Insert placeholders for file texts that a log omits, so that the files are still recognised as files."""
    return Resources(
        replace(each, inputs={name: _ANY_FILE if _is_elided(value) else value for name, value in each.inputs.items()})
        for each in resources
    )


def _is_elided(value: Any) -> bool:
    return (
        isinstance(value, Mapping) and isinstance(value.get("asset"), Mapping) and value["asset"].keys() == {"sha256"}
    )
