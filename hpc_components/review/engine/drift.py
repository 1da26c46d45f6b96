"""Compares the deployed stack with the working tree's plan, to show what the next `pulumi up` will do."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hpc_components.preview.clouds import cloud_of_resources
from hpc_components.preview.cost import cost_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.quota import quotas_of
from hpc_components.preview.rates import rates_in
from hpc_components.preview.resources import Resource, Resources
from hpc_components.review.document import FindingChanges, Gap, Part, Review, Side
from hpc_components.review.engine.align_with_plan import align_with_plan
from hpc_components.review.engine.files import read_state
from hpc_components.review.engine.make import NO_DESCRIPTION
from hpc_components.review.engine.states import State, is_counted, region_of, resource_of, split_urn
from hpc_components.review.make import failed_review, review
from hpc_components.review.planning import Failure, Place, Task, plan_all
from hpc_components.review.repository import SourceError
from hpc_components.review.side_labels import WORKING_TREE
from hpc_components.spec.project import find_project
from hpc_components.wording import did_you_mean, listed, plural

_LISTED_NAMES = 5

_PENDING_REMEDY = "Run `pulumi refresh` to read the result from the cloud."


def drift_review(file: Path, stack: str | None) -> Review:
    """Compare the state in `file` with its stack's plan. Raise SourceError if the state can't be read or does not
    belong to a stack of the project.
    """
    deployment = read_state(file)
    project = find_project()
    stack = _stack(file, deployment, stack, project.name)
    if stack not in project.stacks:
        hint = did_you_mean(stack, project.stacks, f"stacks are {', '.join(project.stacks) or 'not there yet'}")
        raise SourceError(f"the project {project.name} has no file for the stack {stack!r}; {hint}")
    sides = Side(source=str(file), option="--state"), Side(source=WORKING_TREE)
    task = Task(Place(project.root, project.root, project.stack_dir), stack)
    plan = plan_all([task])[task]
    if isinstance(plan, Failure):
        return failed_review(stack, project.name, f"{WORKING_TREE} can't be planned: {plan.text}", sides=sides)
    return drift(deployment, plan, sides=sides)


def drift(deployment: Mapping[str, Any], plan: Plan, *, sides: tuple[Side, Side]) -> Review:
    states = deployment.get("resources") or ()
    there = [each for each in states if is_counted(each) and not _is_going(each)]
    deployed = Resources(_deployed(there, plan.resources))
    cloud = cloud_of_resources(deployed, plan.cloud)
    region = region_of(states, cloud, {}) or plan.region
    before = Plan(
        stack=plan.stack,
        project=plan.project,
        cloud=cloud,
        cluster=plan.cluster,
        region=region,
        resources=deployed,
        outputs={},
        cost=cost_of(deployed, cloud, region, rates=rates_in((plan.description or {}).get("value"))),
        quota=quotas_of(deployed, cloud, region),
        findings=(),
    )
    found = review(before if there else None, plan, sides=sides)
    return replace(
        found,
        findings=FindingChanges(now=tuple(plan.reported)),
        gaps=(Gap(part=Part.DESCRIPTION, reason=NO_DESCRIPTION),),
        notes=tuple(_notes(deployment, states)),
    )


def _stack(file: Path, deployment: Mapping[str, Any], asked: str | None, project: str) -> str:
    """Return the stack name from the URNs in a state, or `asked` if the state has no resources."""
    first = next(iter(deployment.get("resources") or ()), None)
    if first is None:
        if asked is None:
            raise SourceError(f"{file} has no resources, so its stack is unknown; specify STACK")
        return asked
    stack, of_project, *_ = split_urn(first["urn"])
    if asked not in (None, stack):
        raise SourceError(f"{file} belongs to the stack {stack}, not {asked}; leave out {asked}")
    if of_project != project:
        raise SourceError(
            f"{file} belongs to the project {of_project}, not {project}; run the command in the folder of the "
            "file's project"
        )
    return stack


def _is_going(state: State) -> bool:
    """Return whether an unfinished replacement has deleted, or will delete, the resource."""
    return bool(state.get("delete") or state.get("pendingReplacement"))


def _deployed(states: Iterable[State], planned: Resources) -> Iterator[Resource]:
    by_urn = {urn: each for each in planned for urn in (each.urn, *each.aliases)}
    for state in states:
        twin = by_urn.get(state["urn"])
        yield align_with_plan(state, twin) if twin else resource_of(state)


def _notes(deployment: Mapping[str, Any], states: Iterable[State]) -> Iterator[str]:
    left = [each for each in states if each.get("delete")]
    if left:
        yield (
            f"An update was interrupted and left {plural(len(left), 'replaced resource')} behind, which the "
            f"next update will delete: {_named(left)}."
        )
    pending = deployment.get("pending_operations") or ()
    if pending:
        operations = listed((f"{each['type']} {_named([each['resource']])}" for each in pending), _LISTED_NAMES)
        yield f"An update was interrupted while {operations}. {_PENDING_REMEDY}"
    if tainted := [each for each in states if each.get("taint")]:
        yield f"The next update will replace resources marked by `pulumi state taint`: {_named(tainted)}."


def _named(states: list[State]) -> str:
    names = [f"{each['type'].rpartition(':')[2]} {split_urn(each['urn'])[3]}" for each in states]
    return listed(names, _LISTED_NAMES)
