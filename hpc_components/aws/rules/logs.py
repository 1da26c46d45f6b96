"""Rules on what CloudWatch keeps."""

from collections.abc import Iterator

from hpc_components.aws.catalog.network_limits import log_retention_days
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of

__all__: list[str] = []


@rule("HPC-HED-005", Level.ERROR)
def log_steps(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Logs are kept for a time that CloudWatch knows.

    Source: CloudWatch Logs API, PutRetentionPolicy.
    """
    kept, steps = cluster.log_retention, log_retention_days()
    if kept.days not in steps:
        near = [*[step for step in steps if step < kept.days][-1:], *[step for step in steps if step > kept.days][:1]]
        yield Problem(
            path=("log_retention",),
            value=str(kept),
            reason=f"CloudWatch can't keep logs for {kept}",
            remedy=f"use {any_of(f'{step}d' for step in near)}",
        )
