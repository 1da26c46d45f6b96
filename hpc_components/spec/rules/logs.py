from collections.abc import Iterator

from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.values import Duration
from hpc_components.wording import any_of


@rule("HPC-HED-005", Level.ERROR)
def log_steps(cluster: ClusterSpec) -> Iterator[Problem]:
    """The log retention period must be one that the cloud's log service offers.

    Source: on AWS, CloudWatch Logs API, PutRetentionPolicy.
    """
    logs = catalog_of(cluster.cloud).log_retention()
    kept: dict[Path, Duration] = {("log_retention",): cluster.log_retention}
    if cluster.audit:
        kept["audit", "keep"] = cluster.audit.keep
    for path, time in kept.items():
        if logs and time.days not in (steps := logs.days):
            near = [
                *[each for each in steps if each < time.days][-1:],
                *[each for each in steps if each > time.days][:1],
            ]
            yield Problem(
                path=path,
                value=str(time),
                reason=f"{logs.service} can't keep logs for {time}",
                remedy=f"use {any_of(f'{step}d' for step in near)}",
            )
