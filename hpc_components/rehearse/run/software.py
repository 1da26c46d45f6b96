"""Lets the cluster build the software of its description before the rehearsed job starts."""

from hpc_components.rehearse.cluster.daemons import wait_until
from hpc_components.rehearse.cluster.local_cluster import LocalCluster
from hpc_components.rehearse.cluster.software import PROGRAM
from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.events import Code
from hpc_components.rehearse.run.observer import Observer

BUILD_TIMEOUT_SECONDS = 1800.0


def build_software(cluster: LocalCluster, observer: Observer, log: EventLog) -> bool:
    """Wait until the job that builds the software has ended and its nodes are gone. Return whether all of it is
    built.
    """
    setup = cluster.setup
    job = setup.software.submit(cluster.head)
    log.record(Code.SOFTWARE_SUBMITTED, f"job {job} builds the software of the description with EasyBuild")
    jobs = observer.jobs
    wait_until("the software is built", lambda: job in jobs and jobs[job].ended, BUILD_TIMEOUT_SECONDS)
    said = cluster.head.run(PROGRAM, "status", check=False).strip()
    built = jobs[job].state == "COMPLETED"
    if not built:
        said += "\n" + _last_errors(cluster)
    log.check(Code.SOFTWARE_BUILT, "the software of the description is built", built, said.replace("\n", "; "))

    def gone() -> bool:
        return {machine.node for machine in cluster.cloud.alive()} <= setup.always_up

    wait_until("the nodes that built the software are gone", gone, setup.times.idle + setup.times.stop + 60)
    return built


def _last_errors(cluster: LocalCluster) -> str:
    """Return the last lines of the job's log that tell of an error."""
    shown = f"grep -iE 'error|fail' {cluster.setup.software.directory}/requests/*/log.txt | tail -n 5"
    return cluster.head.run("sh", "-c", shown, check=False).strip()
