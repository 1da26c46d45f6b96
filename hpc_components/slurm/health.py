"""Settings by which Slurm checks the health of nodes."""

from hpc_components.catalog import machine
from hpc_components.catalog.health_checks import Moment, health_checks
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.slurm.values import Value

IDLE_PROGRAM = "/opt/hpc/bin/hpc-health-idle"


def health_settings(cluster: ClusterSpec) -> dict[str, Value]:
    """Return the keys of slurm.conf. Empty if no checks run, or if the user has a program of their own."""
    own = {key.lower() for key in cluster.slurm.settings}
    if not cluster.health.running or "healthcheckprogram" in own:
        return {}
    return {
        "HealthCheckProgram": IDLE_PROGRAM,
        "HealthCheckInterval": cluster.health.interval.seconds,
        # a check must not disturb a job
        "HealthCheckNodeState": "IDLE",
    }


def checks_jobs(cluster: ClusterSpec, at: Moment) -> bool:
    """Return whether any node runs checks at this moment."""
    gpus = any(found.gpu for queue in cluster.queues if (found := machine(queue.cloud, queue.machine)))
    checks = (health_checks()[name] for name in cluster.health.running)
    return any(at in check.at and (gpus or check.needs != "gpus") for check in checks)
