from collections import Counter
from dataclasses import dataclass, replace

from hpc_components.catalog.project_folder import files_of
from hpc_components.cloud import UnknownCloudError, cloud_named
from hpc_components.preview.access import access_of
from hpc_components.preview.clouds import cloud_of, reader_of
from hpc_components.preview.description import described, encrypted
from hpc_components.preview.plan import Plan, make_plan
from hpc_components.preview.record import record
from hpc_components.preview.recorder.sdk import sdk_on_demand
from hpc_components.preview.recording import Recording
from hpc_components.preview.resources import SECRET, UNKNOWN
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level
from hpc_components.spec.project import CLUSTER_KEY, FORECAST_KEY, PROGRAM, Project, StackFile
from hpc_components.spec.rules.budget import spent_early
from hpc_components.spec.validate import Judgement, judge_stack


@dataclass(frozen=True)
class PlannedStack:
    file: str
    judgement: Judgement
    plan: Plan | None
    """The plan, or None if the description has errors. Those errors would also make the program fail."""


def plan_stack(project: Project, stack: str) -> PlannedStack:
    """Plan a stack. Raise UnreadableError if its file can't be read, and ProgramError if its program fails."""
    return plan_file(project, project.open(stack))


def plan_file(project: Project, file: StackFile, *, with_forecast: bool = False) -> PlannedStack:
    """Plan the stack of `file`. Raise the same errors as `plan_stack`.

    If the user wrote the program and the stack file describes no cluster, the rules for descriptions are not applied.
    `with_forecast` also replays the project's own jobs, which takes a second for each thousand.
    """
    with files_of(project.root):
        planned = _planned(project, file)
        if planned.plan is None or not with_forecast:
            return planned
        return replace(planned, plan=_with_forecast(planned.plan, project, file, planned.judgement.cluster))


def _planned(project: Project, file: StackFile) -> PlannedStack:
    is_described = CLUSTER_KEY in file.config or project.main == PROGRAM
    judgement = judge_stack(file) if is_described else Judgement(None, ())
    if judgement.errors:
        return PlannedStack(file.document.file, judgement, None)
    with sdk_on_demand():
        recording = record_stack(project, file)
        cloud = judgement.cluster.cloud if judgement.cluster else cloud_of(recording)
        region, *elsewhere = _regions(recording, file, cloud)
        plan = make_plan(
            recording,
            cloud=cloud,
            cluster=judgement.cluster.name if judgement.cluster else file.stack,
            region=region,
            elsewhere=elsewhere,
            findings=judgement.findings + judgement.silenced,
            silence=judgement.cluster.silence if judgement.cluster else {},
            access=access_of(judgement.cluster) if judgement.cluster else None,
            description=described(file.cluster) if CLUSTER_KEY in file.config else None,
            encrypted=encrypted(file.config),
        )
    return PlannedStack(file.document.file, judgement, _with_total(plan, judgement.cluster))


def _with_forecast(plan: Plan, project: Project, file: StackFile, cluster: ClusterSpec | None) -> Plan:
    """Return the plan with the forecast for the project's own jobs, under `forecast` in its cost.

    If the jobs can't be read, it has only the key `problem`.
    """
    if cluster is None or FORECAST_KEY not in file.config:
        return plan
    from hpc_components.forecast.jobs import JobFileError  # few projects need them
    from hpc_components.forecast.of_project import forecast_of_project

    try:
        forecast = forecast_of_project(file.config, project.root, file.stack, cluster)
    except JobFileError as error:  # a plan without a forecast is better than none
        return replace(plan, cost={**plan.cost, "forecast": {"problem": str(error)}})
    return replace(plan, cost={**plan.cost, "forecast": forecast})


def _with_total(plan: Plan, cluster: ClusterSpec | None) -> Plan:
    """Return the plan with its budget finding updated for the total cost, which the rule couldn't compute from the
    description alone.
    """
    total = plan.cost["full"]["month"]
    problem = next(spent_early(cluster, total), None) if cluster else None
    if problem is None:
        return plan
    said = {"reason": problem.reason, "remedy": problem.remedy, "level": str(problem.level or Level.INFO)}
    return replace(plan, findings=[{**each, **said} if each["id"] == _BUDGET else each for each in plan.findings])


_BUDGET = "HPC-BUD-008"


def record_stack(project: Project, file: StackFile, *, preview: bool = True) -> Recording:
    config = {key: value for key, value in file.config.items() if value is not None}
    # a value is secret if any part of it is encrypted, as in Pulumi
    secret = {key for key, value in config.items() if encrypted({key: value})}
    if CLUSTER_KEY in config:  # with the files that it names: a program of ours does not run in the project
        config[CLUSTER_KEY] = file.cluster.data
    return record(
        project.program(file),
        project=project.name,
        stack=file.stack,
        root=project.root,
        config=config,
        secret_config=secret,
        preview=preview,
    )


def _regions(recording: Recording, file: StackFile, cloud: str) -> list[str]:
    """Return the regions of the program's resources, most frequent first.

    A resource is in its provider's region or, if the provider has no region, in the configured one.
    """
    try:
        package = cloud_named(cloud).pulumi_package
    except UnknownCloudError:
        package = cloud
    key = reader_of(cloud).region_input
    usual = str(file.config.get(f"{package}:{key}", ""))
    providers = recording.all(f"pulumi:providers:{package}")
    own = {each.urn: each.inputs[key] for each in providers if each.inputs.get(key) not in (None, UNKNOWN, SECRET)}
    made = [each for each in recording.resources if each.custom and each.type.startswith(f"{package}:")]
    found = Counter(own.get((each.provider or "").rpartition("::")[0], usual) for each in made) or Counter(
        own.values()
    )
    return sorted((region for region in found if region), key=lambda region: (-found[region], region)) or [usual]
