from collections.abc import Iterator

from hpc_components.catalog.health_checks import health_checks
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.settings import global_settings
from hpc_components.wording import any_of, did_you_mean

MIN_INTERVAL_SECONDS = 60
"""Slurm ends a health check after this many seconds. Source: slurm.conf(5), HealthCheckProgram."""
MAX_INTERVAL_SECONDS = 65535
"""HealthCheckInterval is a 16-bit number. Source: Slurm's src/common/read_config.c."""


@rule("HPC-HLT-001", Level.ERROR)
def known_checks(cluster: ClusterSpec) -> Iterator[Problem]:
    """`health.checks` must name checks that exist.

    A misspelt name would leave the check as it is.
    """
    for name in cluster.health.checks:
        if name not in health_checks():
            names = list(health_checks())
            yield Problem(
                path=("health", "checks", name),
                reason=f"no check is named {name!r}",
                remedy=did_you_mean(name, names, f"use {any_of(names)}"),
            )


@rule("HPC-HLT-002", Level.ERROR)
def interval_in_bounds(cluster: ClusterSpec) -> Iterator[Problem]:
    """`health.interval` must be from one minute to 65535 seconds.

    Slurm ends a health check that takes longer than a minute, and would start the next one before. Source:
    slurm.conf(5), HealthCheckProgram; Slurm's src/common/read_config.c (a 16-bit number).
    """
    interval = cluster.health.interval
    if not MIN_INTERVAL_SECONDS <= interval.seconds <= MAX_INTERVAL_SECONDS:
        yield Problem(
            path=("health", "interval"),
            value=str(interval),
            reason=f"it must be {MIN_INTERVAL_SECONDS} to {MAX_INTERVAL_SECONDS} s",
            remedy="use 5m; to run no checks, set enabled: false",
        )


@rule("HPC-HLT-003", Level.WARNING)
def idle_checks_run(cluster: ClusterSpec) -> Iterator[Problem]:
    """A HealthCheckProgram of your own in `slurm.settings` replaces the checks of idle nodes.

    Slurm runs one program only. With Slurm 22.05, which passes no prolog on to nodes, the checks then run at boot
    only. Source: slurm.conf(5), HealthCheckProgram.
    """
    own = global_settings(cluster).get("healthcheckprogram")
    if own and cluster.health.running:
        yield Problem(
            path=own.path,
            value=own.value,
            reason="Slurm runs this program instead of hpc-health on idle nodes",
            remedy="let it run `/opt/hpc/bin/hpc-health check --drain` as well, or set health.enabled: false",
        )
