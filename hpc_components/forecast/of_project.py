"""The forecast for a project's own file of jobs, which plans and reviews contain."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hpc_components.forecast.document import Forecast, document_of
from hpc_components.forecast.fleet import fleet_of
from hpc_components.forecast.job_file import opened_jobs
from hpc_components.forecast.jobs import JobFileError
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.run import FleetRun, run
from hpc_components.slurm import slurm_files
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.project import FORECAST_KEY


def forecast_of_project(
    config: Mapping[str, Any], root: Path, stack: str, cluster: ClusterSpec
) -> dict[str, Any] | None:
    """Return what the project's jobs would cost and wait, or None if the configuration names no file of jobs.

    `root` is the directory to which the file's path is relative. Raise JobFileError if the file can't be read.
    """
    wanted = config.get(FORECAST_KEY)
    if wanted is None:
        return None
    if not isinstance(wanted, dict) or set(wanted) != {"jobs"} or not isinstance(wanted["jobs"], str):
        raise JobFileError(
            f"{FORECAST_KEY}: {wanted!r} does not name a file of jobs; write {FORECAST_KEY}: {{jobs: jobs.txt}}"
        )
    path = (root / wanted["jobs"]).resolve()
    if not path.is_relative_to(root.resolve()):
        raise JobFileError(f"{FORECAST_KEY}: {wanted['jobs']} is outside of the project; copy it to a file in {root}")
    assumed, skipped = Assumptions(), Counter[str]()
    whole = FleetRun(fleet_of(cluster, slurm_files(cluster)), assumed)
    with opened_jobs(path, skipped) as jobs:
        run(jobs, [whole])
    found = Forecast(stack=stack, cluster=cluster, run=whole)
    (one,) = document_of([found], assumed, jobs=wanted["jobs"], skipped=skipped)["stacks"]
    return {
        "jobs": wanted["jobs"],
        "month": one["month"],
        "ran": one["finished"],
        "refused": sum(each["jobs"] for each in one["refused"]),
        "median_wait": one["waits"]["median"] if one["waits"] else None,
        "p90_wait": one["waits"]["p90"] if one["waits"] else None,
    }
