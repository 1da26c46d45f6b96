import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from hpc_components.rehearse.events import Code
from hpc_components.rehearse.result import Check
from hpc_components.rehearse.run.job import Job, JobKind
from hpc_components.rehearse.run.observer import SeenJob
from hpc_components.wording import plural

_GREETING = re.compile(r"^Hello from rank (\d+) of (\d+) on host ([^\s,]+)(?:, GPU (\S+))?$", re.M)

_ADDRESS = re.compile(r"^(\S+) +STREAM (\S+)$", re.M)

_HARMLESS = (
    r"Could not open \S+ state file",  # a new cluster has no saved state yet
    r"No \S+ state file",
    r"NOTE: Trying backup [\w ]+ save file",
    r"We can't find assoc 1 on cluster",  # logged by slurmdbd 24.11 when a cluster is added
    r"_fetch_child: failed to fetch remote configs",  # slurmctld is busy, and slurmd retries
    r"_establish_configuration: failed to load configs\. Retrying in \d+ seconds",  # logged when slurmd retries
    r"track_script_remove: thread \d+ not found",  # a program run by Slurm ended just after a reconfiguration
    # slurmctld responded to a slurmd that had already retried
    r"RESPONSE_CONFIG\) failed: Unexpected missing socket error",
)
"""Patterns of error messages that even a healthy cluster logs."""

_CLOCK = r"slurmctld: error: High latency for 1000 calls to gettimeofday\(\)"
"""Pattern of slurmctld's message about a slow clock. At startup, slurmctld reads the clock 1,000 times and logs this
message if the reads take more than 200 microseconds (src/slurmctld/controller.c). The message only means that this
machine is busy, for example because another process is using the CPU."""

_LATE = r"slurmctld: error: .*(?:RESPONSE_\w+_INFO\)|msg_type=20\d\d:).* Unexpected missing socket error"
"""Pattern of slurmctld's message about a client that stopped waiting for a response (after MessageTimeout, ten
seconds). Slurm 22.05 logs the number of the message type, and later releases log the name
(src/common/slurm_protocol_api.c)."""

_GIVEN_UP = r"hpc-elastic: .*: Socket timed out on send/recv operation"
"""Pattern of the elastic daemon's message about a request to slurmctld that timed out. The daemon then continues with
its next cycle."""


def check_job(job: SeenJob) -> Check:
    return Check(
        code=Code.JOB_COMPLETED,
        what="the job completes successfully",
        passed=job.state == "COMPLETED" and job.exit_code == "0:0",
        detail=f"job {job.id} is {job.state}, exit code {job.exit_code}",
    )


def check_start(job: SeenJob, logs: Path) -> Check:
    """Check that the job was started by its prolog, which waits for the nodes, and not by slurmctld's periodic poll.

    The poll would start the job up to 30 s later.
    """
    log = "".join(path.read_text(errors="replace") for path in logs.glob("*-slurmctld.log"))
    late = re.search(rf"job_time_limit: Configuration for JobId={job.id} complete", log)
    return Check(
        code=Code.STARTS_WITH_NODES,
        what="the job starts as soon as its nodes are ready",
        passed=late is None,
        detail="slurmctld started the job in its own poll, which runs every 30 s; hpc-prolog did not wait for the "
        "nodes"
        if late
        else "",
    )


def check_names(answers: Mapping[str, str], addresses: Mapping[str, str]) -> Check:
    """Check that every host can resolve the names of the job's nodes.

    `answers` maps each host to the output of `getent ahostsv4 NAMES` on that host.
    """
    wrong = {
        host: lost
        for host, text in answers.items()
        if (lost := [name for name, address in addresses.items() if _found(text).get(name) != address])
    }
    looks = len(answers) * len(addresses)
    lost = "; ".join(f"{host} can't resolve {', '.join(names)}" for host, names in wrong.items())
    return Check(
        code=Code.NAMES_FOUND,
        what="hosts can resolve the names of the job's nodes",
        passed=not wrong,
        detail=lost or f"{looks} of {looks} lookups succeeded",
    )


def _found(text: str) -> dict[str, str]:
    """Parse the output of `getent ahostsv4`. Return addresses, keyed by name without the domain.

    Lines look like `10.20.0.7      STREAM compute-queue-3.cfd.hpc.internal`.
    """
    return {name.partition(".")[0]: address for address, name in _ADDRESS.findall(text)}


def check_greetings(job: Job, nodes: Iterable[str], output: str) -> Iterator[Check]:
    """Check that each rank said hello exactly once, and that every node of the job ran at least one rank.

    If the job uses GPUs, also check that each rank had its own GPU.
    """
    assert job.scale
    found = _GREETING.findall(output)
    ranks, hosts = job.scale.ranks, {host for _, _, host, _ in found}
    said = sorted(int(rank) for rank, size, _, _ in found if int(size) == ranks)
    yield Check(
        code=Code.ALL_RANKS,
        what=f"all {ranks} ranks say hello from {plural(job.scale.nodes, 'node')}",
        passed=said == list(range(ranks)) and hosts == set(nodes),
        detail=f"{plural(len(set(said)), 'rank')} on {plural(len(hosts), 'node')}",
    )
    if job.kind is JobKind.HELLO_GPU:
        gpus = {(host, gpu) for _, _, host, gpu in found if gpu.isdigit()}
        yield Check(
            code=Code.OWN_GPUS,
            what="every rank has its own GPU",
            passed=len(gpus) == ranks,
            detail=f"{plural(len(gpus), 'GPU')} in use",
        )


def error_lines(logs: Path, *, given_up: bool = False) -> list[str]:
    """Return error lines from the daemons' logs, each prefixed with the name of its log.

    Late responses from slurmctld are not treated as errors if a client stopped waiting for them. The elastic daemon
    logs when it stops waiting; `given_up` means that a client without a log did so.
    """
    errors = list(_errors(logs))
    given_up = given_up or any(re.search(_GIVEN_UP, line) for line in errors)
    harmless = (*_HARMLESS, _CLOCK, _GIVEN_UP, *([_LATE] if given_up else []))
    return [line for line in errors if not any(re.search(each, line) for each in harmless)]


def clock_lines(logs: Path) -> list[str]:
    return [line for line in _errors(logs) if re.search(_CLOCK, line)]


def late_lines(logs: Path) -> list[str]:
    return [line for line in _errors(logs) if re.search(f"{_LATE}|{_GIVEN_UP}", line)]


def _errors(logs: Path) -> Iterator[str]:
    for log in sorted(logs.glob("*.log")):
        for line in log.read_text(errors="replace").splitlines():
            if re.search(r"\b(?:error|fatal):", line, re.I):
                yield f"{log.stem}: {line.strip()}"
