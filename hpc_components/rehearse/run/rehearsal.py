import re
import shlex
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass

from hpc_components.rehearse.cluster.daemons import wait_until
from hpc_components.rehearse.cluster.local_cluster import LocalCluster, as_user
from hpc_components.rehearse.cluster.setup import Setup
from hpc_components.rehearse.event_log import EventLog, node_lives
from hpc_components.rehearse.events import Code, Fault
from hpc_components.rehearse.hosts.host import CommandError
from hpc_components.rehearse.hosts.sandbox_init import Channel
from hpc_components.rehearse.result import Check, Rehearsal
from hpc_components.rehearse.run.checks import (
    check_greetings,
    check_job,
    check_names,
    check_start,
    clock_lines,
    error_lines,
    late_lines,
)
from hpc_components.rehearse.run.faults import Scenario, scenario_of
from hpc_components.rehearse.run.job import Job, JobKind
from hpc_components.rehearse.run.observer import Observer, SeenJob
from hpc_components.rehearse.run.software import build_software
from hpc_components.wording import plural

NAMES_WITHIN_SECONDS = 5.0
"""Seconds after the start of a job within which every host must be able to resolve the names of the job's nodes."""


@dataclass(frozen=True, kw_only=True)
class RehearsalPlan:
    setup: Setup
    job: Job
    """Job to submit. With `shell`, the job's files are created, but the job is not submitted."""
    fault: Fault | None = None
    here: str
    """Description of this machine, for users."""
    job_timeout: float
    """Maximum seconds to wait for the job to start, and then for it to end."""
    shell: bool = False
    """Whether to open a shell from which a user can submit jobs. The cluster then keeps running until a message from
    outside ends the rehearsal."""
    keep: bool = False
    """Whether to keep the cluster running after the job, until a message from outside ends the rehearsal."""


@dataclass(frozen=True, kw_only=True)
class LoginReady:
    """Tells the caller that users can log in. The rehearsal then waits for a reply."""

    host: str
    pid: int
    """Id of the host's first process, as seen inside the sandbox."""


class _AbandonedError(Exception):
    """Raised if the rehearsal can't continue. A failed check contains the reason."""


def rehearse(channel: Channel, plan: RehearsalPlan) -> Rehearsal:
    """Run the rehearsal inside a sandbox, and send each event through `channel`."""
    log = EventLog(channel.send)
    cluster = LocalCluster(plan.setup, log, channel.cgroup)
    observer = Observer(log, lambda: {machine.node for machine in cluster.cloud.alive()})
    run = _Run(channel, plan, log, cluster, observer)
    try:
        run.start_cluster()
        run.rehearse()
    except _AbandonedError:
        pass
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        log.check(Code.REHEARSAL_ENDS, "the rehearsal runs to its end", False, str(error))
    return run.result()


@dataclass
class _Run:
    channel: Channel
    plan: RehearsalPlan
    log: EventLog
    cluster: LocalCluster
    observer: Observer
    output: str = ""
    accounting: str = ""

    def start_cluster(self) -> None:
        setup = self.plan.setup
        words = f"starting the head node of {setup.cluster.name} with Slurm {setup.release}"
        self.log.record(Code.CLUSTER_STARTS, words)
        if changes := setup.changes:
            words = f"changed {plural(len(changes), 'line')} of the generated files to suit this machine"
            self.log.record(Code.LINES_CHANGED, words)
        self.cluster.open()
        self.cluster.start_head()
        self.cluster.start_login()
        self.observer.follow(self.cluster.head)
        for path, text in self.plan.job.files.items():
            self.cluster.login.write(path, text)

    def rehearse(self) -> None:
        if not self.plan.shell:
            self._check_no_early_nodes()
        if self.plan.setup.software.directory and not build_software(self.cluster, self.observer, self.log):
            raise _AbandonedError
        if self.plan.shell:
            job = self.plan.job
            command = f"cd {job.directory}; {shlex.join(job.command)}"
            words = (
                f"{job.user} is logged in to {self.cluster.login.name}; to submit the prepared job, run: {command}"
            )
            self.log.record(Code.SHELL_READY, words)
            self._stay_open()
            return
        scenario = scenario_of(self.plan.fault, self.cluster, self.observer, self.plan.job)
        scenario.before()
        job = self._run_job(self._submit(), scenario)
        self._check(job, scenario)
        if self.plan.keep:
            self.log.record(Code.CLUSTER_KEPT, "the cluster keeps running until you end it")
            self._stay_open()

    def _stay_open(self) -> None:
        login = self.cluster.login
        self.channel.send(LoginReady(host=login.name, pid=login.pid))
        self.channel.receive()

    def result(self) -> Rehearsal:
        end = self.log.now
        machines = {machine.node: machine.pool.machine for machine in self.cluster.cloud.launched()}
        return Rehearsal(
            cluster=self.plan.setup.cluster.name,
            slurm=self.plan.setup.release,
            here=self.plan.here,
            fault=self.plan.fault or "",
            command=shlex.join(self.plan.job.command),
            scale=self.plan.job.scale,
            changes=self.plan.setup.changes,
            events=tuple(self.log.events),
            nodes=node_lives(self.log.events, machines, end),
            jobs=self.observer.lives(end),
            checks=tuple(self.log.checks),
            output=self.output,
            accounting=self.accounting,
            duration=end,
            described=self.plan.setup.cluster.slurm.version,
        )

    def _check_no_early_nodes(self) -> None:
        early = {machine.node for machine in self.cluster.cloud.alive()} - self.plan.setup.always_up
        what = "no node exists before it is needed"
        self.log.check(Code.NO_EARLY_NODES, what, not early, ", ".join(sorted(early)))

    def _submit(self) -> int:
        job, login = self.plan.job, self.cluster.login
        command = shlex.join(job.command)
        self.log.record(Code.JOB_SUBMITTED, f"{job.user} submits the job on {login.name}: {command}")
        what = "Slurm accepts the job"
        try:
            answer = login.run(*as_user(job.user, command, job.directory))
        except CommandError as error:
            self.log.check(Code.JOB_ACCEPTED, what, False, error.output.strip())
            raise _AbandonedError from None
        found = re.search(r"Submitted batch job (\d+)", answer)
        self.log.check(Code.JOB_ACCEPTED, what, bool(found), answer.strip())
        if not found:
            raise _AbandonedError
        return int(found[1])

    def _run_job(self, id: int, scenario: Scenario) -> SeenJob:
        jobs = self.observer.jobs

        def started() -> bool:
            return id in jobs and (jobs[id].state in ("RUNNING", "COMPLETING") or jobs[id].ended)

        try:
            wait_until("the job starts", started, self.plan.job_timeout)
            self._check_names(self.observer.nodes_of(id))
            scenario.during(id)
            wait_until("the job ends", lambda: jobs[id].ended, self.plan.job_timeout)
        except TimeoutError as error:
            seen = f"; the job is {jobs[id].state}: {jobs[id].reason}" if id in jobs else ""
            raise TimeoutError(f"{error}{seen}") from None
        return jobs[id]

    def _check_names(self, nodes: Iterable[str]) -> None:
        site = self.cluster.site
        addresses = {name: str(site.hosts[name].address) for name in nodes if name in site.hosts}
        hosts = [self.cluster.head, self.cluster.login, *(site.hosts[name] for name in addresses)]

        def look_up() -> Check:
            command = ("getent", "ahostsv4", *addresses)
            return check_names({host.name: host.run(*command, check=False) for host in hosts}, addresses)

        check, end = look_up(), time.monotonic() + NAMES_WITHIN_SECONDS
        while not check.passed and time.monotonic() < end:
            time.sleep(0.2)
            check = look_up()
        self.log.add(check)

    def _check(self, job: SeenJob, scenario: Scenario) -> None:
        nodes = self.observer.nodes_of(job.id)
        self.log.add(check_job(job))
        if self.cluster.elastic.starts == 1:  # if the daemon was killed, slurmctld starts the job itself
            self.log.add(check_start(job, self.cluster.logs))
        self.output = self.cluster.login.read(job.output)
        if self.plan.job.kind in (JobKind.HELLO_MPI, JobKind.HELLO_GPU):
            for check in check_greetings(self.plan.job, nodes, self.output):
                self.log.add(check)
        for check in scenario.after(job):
            self.log.add(check)
        if "slurmdbd.conf" in self.plan.setup.files:
            self._check_accounting(job)
        self._check_nodes_gone()
        if not scenario.expects_errors:
            errors = error_lines(self.cluster.logs, given_up=self.observer.unanswered)
            self.log.check(Code.NO_ERRORS, "no daemon logs an error", not errors, "; ".join(errors))
        for line in clock_lines(self.cluster.logs) + late_lines(self.cluster.logs):
            self.log.record(Code.MACHINE_BUSY, f"this machine was busy, so the times are less reliable: {line}")

    def _check_accounting(self, job: SeenJob) -> None:
        columns = "JobID,JobName,Partition,Account,AllocTRES%40,State,ExitCode,NodeList%20"
        command = f"sacct --duplicates --jobs={job.id} --format={columns}"

        def has_row() -> bool:
            self.accounting = self.cluster.login.run(*as_user(self.plan.job.user, command, "/"))
            return job.state in self.accounting

        wait_until(f"sacct shows job {job.id} as {job.state}", has_row, 15)
        rows = len(self.accounting.splitlines()) - 2
        self.log.check(Code.ACCOUNTED, "sacct lists the job", True, plural(rows, "row"))

    def _check_nodes_gone(self) -> None:
        times, always_up, cloud = self.plan.setup.times, self.plan.setup.always_up, self.cluster.cloud
        self.log.record(Code.WAITS_FOR_IDLE_NODES, f"idle nodes are powered down after {times.idle} s")
        what = "all nodes are gone" + (" except those that are always up" if always_up else "")

        def gone() -> bool:
            return {machine.node for machine in cloud.alive()} <= always_up and self.observer.in_use() <= always_up

        try:
            wait_until(what, gone, times.idle + times.stop + 30)
        except TimeoutError as error:
            self.log.check(Code.ALL_NODES_GONE, what, False, str(error))
        else:
            ended = len(cloud.launched()) - len(cloud.alive())
            self.log.check(Code.ALL_NODES_GONE, what, True, f"{plural(ended, 'machine')} launched and terminated")
