"""One rehearsal from beginning to end: the cluster starts, a job runs on nodes that come for it, they go again."""

import re
import shlex
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass

from hpc_components.rehearse.cluster.daemons import wait_until
from hpc_components.rehearse.cluster.local_cluster import LocalCluster, as_user
from hpc_components.rehearse.cluster.setup import Setup
from hpc_components.rehearse.event_log import Teller, node_lives
from hpc_components.rehearse.hosts.host import CommandError
from hpc_components.rehearse.hosts.sandbox_init import Line
from hpc_components.rehearse.result import Check, Fault, Kind, Rehearsal
from hpc_components.rehearse.run.checks import (
    check_greetings,
    check_job,
    check_names,
    check_start,
    clock_lines,
    error_lines,
)
from hpc_components.rehearse.run.faults import Trouble, trouble
from hpc_components.rehearse.run.job import Job
from hpc_components.rehearse.run.observer import Observer, SeenJob

__all__ = ["Open", "Play", "play"]


NAMES_WITHIN = 5.0
"""Seconds after the beginning of a job until every host must find its nodes."""


@dataclass(frozen=True, kw_only=True)
class Play:
    """What is to be rehearsed."""

    setup: Setup
    """The cluster."""
    job: Job
    """The job, or with `shell` the one that lies ready."""
    fault: Fault | None = None
    """What goes wrong."""
    here: str
    """This machine, in words."""
    patience: float
    """Seconds to wait for the job, once it is submitted."""
    shell: bool = False
    """Submit nothing: somebody at a shell does, until a message comes from outside."""
    keep: bool = False
    """Go on after the job until a message comes from outside."""


@dataclass(frozen=True, kw_only=True)
class Open:
    """Told outside: users can log in, until a message comes back."""

    host: str
    """Where."""
    pid: int
    """The first process of that host, as the rehearsal sees it."""


class _OverError(Exception):
    """It makes no sense to go on; a check says why."""


def play(line: Line, what: Play) -> Rehearsal:
    """Rehearse; runs inside the namespaces (`supervisor`), where `line` leads outside."""
    teller = Teller(line.tell)
    cluster = LocalCluster(what.setup, teller, line.cgroup)
    observer = Observer(teller, lambda: {machine.node for machine in cluster.cloud.alive()})
    stage = _Stage(line, what, teller, cluster, observer)
    try:
        stage.open()
        stage.rehearse()
    except _OverError:
        pass
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        teller.claim("the rehearsal comes to its end", False, str(error))
    return stage.told()


@dataclass
class _Stage:
    line: Line
    what: Play
    teller: Teller
    cluster: LocalCluster
    observer: Observer
    output: str = ""
    accounting: str = ""

    def open(self) -> None:
        """Start the cluster."""
        self.teller.step(
            f"starting the head node of {self.cluster.setup.cluster.name}, Slurm {self.what.setup.release}"
        )
        if changes := self.what.setup.changes:
            self.teller.tell(Kind.NOTE, f"{len(changes)} lines of the generated files are changed for this machine")
        self.cluster.open()
        self.cluster.start_head()
        self.cluster.start_login()
        self.observer.follow(self.cluster.head)
        for path, text in self.what.job.files.items():
            self.cluster.login.write(path, text)

    def rehearse(self) -> None:
        """Run the job, or let somebody else do it."""
        if self.what.shell:
            job = self.what.job
            ready = f"cd {job.directory}; {shlex.join(job.command)}"
            self.teller.step(f"{job.user} is on {self.cluster.login.name}; a job lies ready: {ready}")
            self._stay_open()
            return
        difficulty = trouble(self.what.fault, self.cluster, self.observer, self.what.job.queue)
        self._check_nobody_there()
        difficulty.before()
        job = self._run(self._submit(), difficulty)
        self._check(job, difficulty)
        if self.what.keep:
            self.teller.step("the cluster goes on until it is ended")
            self._stay_open()

    def _stay_open(self) -> None:
        login = self.cluster.login
        self.line.tell(Open(host=login.name, pid=login.pid))
        self.line.hear()

    def told(self) -> Rehearsal:
        """All that happened."""
        end = self.teller.now
        machines = {machine.node: machine.pool.machine for machine in self.cluster.cloud.made()}
        return Rehearsal(
            cluster=self.what.setup.cluster.name,
            slurm=self.what.setup.release,
            here=self.what.here,
            fault=self.what.fault or "",
            command=shlex.join(self.what.job.command),
            scale=self.what.job.scale,
            changes=self.what.setup.changes,
            events=tuple(self.teller.events),
            nodes=node_lives(self.teller.events, machines, end),
            jobs=self.observer.lives(end),
            checks=tuple(self.teller.checks),
            output=self.output,
            accounting=self.accounting,
            duration=end,
            described=self.what.setup.cluster.slurm.version,
        )

    def _check_nobody_there(self) -> None:
        early = {machine.node for machine in self.cluster.cloud.alive()} - self.what.setup.kept
        self.teller.claim("no node is there before it is needed", not early, ", ".join(sorted(early)))

    def _submit(self) -> int:
        job, login = self.what.job, self.cluster.login
        self.teller.step(f"{job.user} submits the job on {login.name}: {shlex.join(job.command)}")
        try:
            told = login.run(*as_user(job.user, shlex.join(job.command), job.directory))
        except CommandError as error:
            self.teller.claim("Slurm takes the job", False, error.output.strip())
            raise _OverError from None
        found = re.search(r"Submitted batch job (\d+)", told)
        self.teller.claim("Slurm takes the job", bool(found), told.strip())
        if not found:
            raise _OverError
        return int(found[1])

    def _run(self, id: int, difficulty: Trouble) -> SeenJob:
        jobs = self.observer.jobs

        def begun() -> bool:
            return id in jobs and (jobs[id].state in ("RUNNING", "COMPLETING") or jobs[id].ended)

        try:
            wait_until("the job begins", begun, self.what.patience)
            self._check_names(self.observer.nodes_of(id))
            difficulty.during(id)
            wait_until("the job ends", lambda: jobs[id].ended, self.what.patience)
        except TimeoutError as error:
            seen = f"; it is {jobs[id].state}: {jobs[id].reason}" if id in jobs else ""
            raise TimeoutError(f"{error}{seen}") from None
        return jobs[id]

    def _check_names(self, nodes: Iterable[str]) -> None:
        site = self.cluster.site
        addresses = {name: str(site.hosts[name].address) for name in nodes if name in site.hosts}
        hosts = [self.cluster.head, self.cluster.login, *(site.hosts[name] for name in addresses)]

        def look() -> Check:
            look_up = ("getent", "ahostsv4", *addresses)
            return check_names({host.name: host.run(*look_up, check=False) for host in hosts}, addresses)

        check, end = look(), time.monotonic() + NAMES_WITHIN
        while not check.passed and time.monotonic() < end:
            time.sleep(0.2)
            check = look()
        self.teller.check(check)

    def _check(self, job: SeenJob, difficulty: Trouble) -> None:
        nodes = self.observer.nodes_of(job.id)
        self.teller.check(check_job(job))
        if self.cluster.elastic.starts == 1:  # one that was killed has left the job to slurmctld
            self.teller.check(check_start(job, self.cluster.logs))
        self.output = self.cluster.login.read(job.output)
        if self.what.job.kind.startswith("hello"):
            for check in check_greetings(self.what.job, nodes, self.output):
                self.teller.check(check)
        for check in difficulty.after(job):
            self.teller.check(check)
        if "slurmdbd.conf" in self.what.setup.files:
            self._check_accounting(job)
        self._check_gone()
        if not difficulty.expects_errors:
            errors = error_lines(self.cluster.logs)
            self.teller.claim("no daemon logs an error", not errors, "; ".join(errors))
        for line in clock_lines(self.cluster.logs):
            self.teller.tell(Kind.NOTE, f"this machine was busy, its times mean less: {line}")

    def _check_accounting(self, job: SeenJob) -> None:
        columns = "JobID,JobName,Partition,Account,AllocTRES%40,State,ExitCode,NodeList%20"
        command = f"sacct --duplicates --jobs={job.id} --format={columns}"

        def row_is_there() -> bool:
            self.accounting = self.cluster.login.run(*as_user(self.what.job.user, command, "/"))
            return job.state in self.accounting

        wait_until(f"sacct shows job {job.id} as {job.state}", row_is_there, 15)
        self.teller.claim("sacct has the job's rows", True, f"{len(self.accounting.splitlines()) - 2} rows")

    def _check_gone(self) -> None:
        times, kept, cloud = self.what.setup.times, self.what.setup.kept, self.cluster.cloud
        self.teller.step(f"idle nodes are given back after {times.idle} s")
        what = "all nodes are gone" + (" but those always up" if kept else "")

        def gone() -> bool:
            return {machine.node for machine in cloud.alive()} <= kept and self.observer.there() <= kept

        try:
            wait_until(what, gone, times.idle + times.stop + 30)
        except TimeoutError as error:
            self.teller.claim(what, False, str(error))
        else:
            ended = len(cloud.made()) - len(cloud.alive())
            self.teller.claim(what, True, f"{ended} machines were launched and ended")
