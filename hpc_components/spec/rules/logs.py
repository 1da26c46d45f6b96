from collections.abc import Iterator

from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of


@rule("HPC-HED-005", Level.ERROR)
def log_steps(cluster: ClusterSpec) -> Iterator[Problem]:
    """The log retention period must be one that the cloud's log service offers.

    Source: on AWS, CloudWatch Logs API, PutRetentionPolicy.
    """
    kept, logs = cluster.log_retention, catalog_of(cluster.cloud).log_retention()
    if logs and kept.days not in (steps := logs.days):
        near = [*[step for step in steps if step < kept.days][-1:], *[step for step in steps if step > kept.days][:1]]
        yield Problem(
            path=("log_retention",),
            value=str(kept),
            reason=f"{logs.service} can't keep logs for {kept}",
            remedy=f"use {any_of(f'{step}d' for step in near)}",
        )
