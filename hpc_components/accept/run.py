"""Runs a plan on a cluster, and removes all that it made there."""

import re
import secrets
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from hpc_components import __version__
from hpc_components.accept.checks import buckets, files, nodes
from hpc_components.accept.checks.part import PROGRAMS, QueueRun, program
from hpc_components.accept.cluster import AcceptanceError, Cluster, Submitter
from hpc_components.accept.job import UNKNOWN, JobScript, SeenJob, read_jobs, show_jobs
from hpc_components.accept.plan import Plan, description_hash, parts_of
from hpc_components.accept.result import Acceptance, Code, Outcome, QueueJob, held, left_out
from hpc_components.accept.spot import SpotScript
from hpc_components.accept.spot_run import SpotTest
from hpc_components.accept.start_time import show_nodes, start_time
from hpc_components.accept.workspace import (
    NoWorkspaceError,
    Workspace,
    make_workspace,
    packed,
    remove_workspace,
    unpack_into,
)
from hpc_components.cloud import cloud_named
from hpc_components.operate.sections import Section
from hpc_components.spec.bucket_access import LOGIN

_POLL_SECONDS, _REHEARSED_POLL_SECONDS = 10, 1

_SETTLING_SECONDS = 60
"""Time after which a job's output must be complete, and its row in the database."""

Say = Callable[[str], None]


def accept(plan: Plan, cluster: Cluster, say: Say) -> Acceptance:
    """Run the plan, and call `say` with a line for each step. Whatever happens, jobs and files of it are removed."""
    return _Run(plan=plan, cluster=cluster, say=say).whole()


@dataclass(kw_only=True)
class _Submitted:
    run: QueueRun
    planned: QueueJob
    script: JobScript
    id: int
    seen: SeenJob | None = None
    waiting_since: float | None = None
    """Reading of the monotonic clock since which it has waited for its nodes."""
    given_up: bool = False

    @property
    def done(self) -> bool:
        return self.given_up or (self.seen is not None and self.seen.ended)


@dataclass(kw_only=True)
class _Run:
    plan: Plan
    cluster: Cluster
    say: Say
    token: str = field(default_factory=lambda: secrets.token_hex(4))
    outcomes: list[Outcome] = field(default_factory=list)
    jobs: list[QueueJob] = field(default_factory=list)
    boot_steps: dict[str, Mapping[str, float]] = field(default_factory=dict)
    workspaces: dict[str, Workspace] = field(default_factory=dict)

    def whole(self) -> Acceptance:
        began, clock = datetime.now(UTC), time.monotonic()
        try:
            self.test_logins()
            versions = self.versions()
            submitted = [job for run, planned in self.pairs() if (job := self.submit(run, planned))]
            for job in submitted[:1]:
                self.test_buckets(job)
            self.wait(submitted)
            for job in submitted:
                self.judge(job)
            for run, planned in zip(self.plan.spot_runs, self.plan.spot_jobs, strict=True):
                self.test_spot(run, planned)
        finally:
            self.clean_up()
        return Acceptance(
            cluster=self.plan.cluster.name,
            cloud=self.plan.cluster.cloud,
            region=self.plan.cluster.region,
            rehearsed=self.cluster.rehearsed,
            user=self.cluster.submitter().user,
            began=began.strftime("%Y-%m-%dT%H:%M:%SZ"),
            seconds=round(time.monotonic() - clock, 1),
            versions={"hpc": __version__, **versions},
            described_sha256=description_hash(self.plan),
            jobs=tuple(self.jobs),
            outcomes=tuple(each for each in self.outcomes if each.code not in self.plan.skip),
            boot_steps=self.boot_steps,
        )

    def pairs(self) -> Iterator[tuple[QueueRun, QueueJob]]:
        return zip(self.plan.runs, self.plan.jobs, strict=True)

    def test_logins(self) -> None:
        user = self.cluster.submitter().user
        for place in self.cluster.places:
            self.say(f"logging in to {place} as {user}")
            answer = self.cluster.run(f'echo "is $(id -un)"; {files.HOME_LINE}', place=place, user=user)
            lines = answer.text.strip().splitlines()[-2:]
            wrong = [] if lines[:1] == [f"is {user}"] else [lines[-1] if lines else "no answer"]
            self.add(held(Code.LOGIN, f"{user} can log in to {place}", "", wrong))
            faults = files.home_faults(lines[-1] if lines else "", user)
            self.add(held(Code.HOME, f"the home directory on {place} is the user's", "", faults))
            if boot := nodes.read_boot(self.cluster.run(nodes.SHOW_STEPS, place=place, user=user).text):
                self.boot_steps[place] = boot.steps

    def versions(self) -> dict[str, str]:
        script = 'echo "slurm $(scontrol --version | awk "{print \\$2}")"; . /etc/os-release; echo "os $PRETTY_NAME"'
        text = self.cluster.run(script, place=self.cluster.places[0], user=self.cluster.submitter().user).text
        return dict(re.findall(r"^(slurm|os) (.+)$", text, re.M))

    def submit(self, run: QueueRun, planned: QueueJob) -> _Submitted | None:
        by = self.cluster.submitter(run.queue)
        try:
            workspace = self.workspace(by)
        except NoWorkspaceError as error:
            self.not_submitted(planned, by, str(error))
            return None
        run = replace(
            run, user=by.user, folder=workspace.main, folders=workspace.folders, closed=workspace.closed
        )  # fmt: skip
        parts = parts_of(run, self.plan.skip)
        script = JobScript(run, planned, parts, by, self.token, self.plan.minutes)
        brought = {"job.sh": script.text, **{name: program(name) for name in PROGRAMS}}
        if api := cloud_named(self.plan.cluster.cloud).parts.bucket_api:
            brought["bucket_api.py"] = api
        id = self.sbatch(planned, by, script.folder, brought)
        return _Submitted(run=run, planned=planned, script=script, id=id) if id else None

    def sbatch(self, planned: QueueJob, by: Submitter, folder: str, brought: Mapping[str, str]) -> int | None:
        """Bring files to the folder, submit `job.sh` of them, and return its id, or None if Slurm refuses."""
        self.ask(unpack_into(folder), by.user, stdin=packed(brought))
        said = self.cluster.run(
            f"sbatch --parsable {shlex.quote(folder)}/job.sh", place=self.cluster.places[0], user=by.user
        ).text.strip()
        found = re.search(r"^(\d+)(?:;\S+)?$", said, re.M)
        if not found:
            self.not_submitted(planned, by, said.splitlines()[-1] if said else "sbatch says nothing")
            return None
        self.say(
            f"queue {planned.queue}: job {found[1]} on {planned.nodes} × {planned.machine} submitted by {by.user}"
        )
        return int(found[1])

    def test_spot(self, run: QueueRun, planned: QueueJob) -> None:
        by = self.cluster.submitter(run.queue)
        if by.user not in self.workspaces:
            return  # the queue's own job has failed for that reason
        run = replace(run, user=by.user, folder=self.workspaces[by.user].main)
        script = SpotScript(run, planned, by, self.token, self.plan.patience)
        if id := self.sbatch(planned, by, script.folder, {"job.sh": script.text}):
            self.jobs.append(replace(planned, job=id))
            test = SpotTest(plan=self.plan, cluster=self.cluster, say=self.say, run=run, script=script, job=id)
            self.outcomes += test.outcomes()

    def test_buckets(self, job: _Submitted) -> None:
        """Use the buckets where users log in, with the programs that a job brought."""
        access, place = buckets.reachable(self.plan.cluster, LOGIN), self.cluster.places[0]
        if not access:
            return
        script = f"cd {shlex.quote(job.script.folder)}\n{buckets.use_buckets(access, self.token)}"
        answer = self.cluster.run(script, place=place, user=job.run.user, seconds=buckets.SECONDS * len(access))
        lines = answer.text.splitlines()
        wrong = [lines[-1] if lines else f"exit code {answer.code}"] if answer.code else []
        for outcome in buckets.judged_by_place({place: lines}, access, place, wrong, self.cluster.rehearsed):
            self.add(outcome)

    def not_submitted(self, planned: QueueJob, by: Submitter, why: str) -> None:
        self.add(held(Code.JOB, f"a job of {by.user} runs", planned.queue, [why]))
        self.jobs.append(planned)

    def workspace(self, by: Submitter) -> Workspace:
        if by.user not in self.workspaces:
            mounts = [store.mount for store in self.plan.cluster.storage.values()]
            self.workspaces[by.user] = made = make_workspace(self.cluster, mounts, by.user, self.token)
            probe = replace(self.plan.runs[0], user=by.user, closed=made.closed)
            for outcome in files.closed_mounts(probe):
                self.add(outcome)
        return self.workspaces[by.user]

    def ask(self, script: str, user: str, *, stdin: str = "") -> str:
        """Run what must succeed, and return its output."""
        answer = self.cluster.run(script, place=self.cluster.places[0], user=user, stdin=stdin)
        if answer.code:
            said = answer.text.strip().splitlines()
            raise AcceptanceError(f"the test can't go on: {said[-1] if said else f'exit code {answer.code}'}")
        return answer.text

    def wait(self, submitted: Sequence[_Submitted]) -> None:
        """Wait until all jobs have ended. Cancel a job that does not start in time."""
        pause = _REHEARSED_POLL_SECONDS if self.cluster.rehearsed else _POLL_SECONDS
        end = time.monotonic() + 60 * self.plan.minutes
        while (open_jobs := [job for job in submitted if not job.done]) and time.monotonic() < end:
            seen = self.ask_about([job.id for job in open_jobs])
            for job in open_jobs:
                if job.id in seen:
                    self.note(job, seen[job.id])
                if job.waiting_since and time.monotonic() > job.waiting_since + self.plan.patience:
                    self.say(f"queue {job.planned.queue}: job {job.id} has waited too long and is cancelled")
                    self.cluster.run(f"scancel {job.id}", place=self.cluster.places[0], user=job.run.user)
                    job.given_up = True
            time.sleep(pause)

    def ask_about(self, ids: Sequence[int]) -> Mapping[int, SeenJob]:
        """Return the jobs, or none if slurmctld does not answer, or the connection is lost for the moment."""
        user = self.cluster.submitter().user
        try:
            answer = self.cluster.run(show_jobs(ids), place=self.cluster.places[0], user=user)
        except AcceptanceError as error:
            self.say(f"{error}; trying again")
            return {}
        return read_jobs(answer.text, ids) or {}

    def note(self, job: _Submitted, now: SeenJob) -> None:
        if job.seen is None or (job.seen.state, job.seen.reason) != (now.state, now.reason):
            why = f" ({now.reason})" if now.state == "PENDING" and now.reason not in ("", "None") else ""
            self.say(f"queue {job.planned.queue}: job {job.id} is {now.state}{why}")
        job.seen = now
        if not now.waits_for_nodes:
            job.waiting_since = None
        elif job.waiting_since is None:
            job.waiting_since = time.monotonic()

    def judge(self, job: _Submitted) -> None:
        queue, seen, user = job.planned.queue, job.seen, job.run.user
        self.jobs.append(replace(job.planned, job=job.id, names=tuple(seen.nodes) if seen else ()))
        completed = seen is not None and seen.state in ("COMPLETED", UNKNOWN)
        state = (
            f"job {job.id} is {seen.state}: {seen.reason}" if seen else f"slurmctld does not answer about {job.id}"
        )
        self.add(held(Code.JOB, f"a job of {user} runs", queue, [] if completed else [state]))
        sections = self.output(job) if seen and seen.nodes else {}
        if seen and seen.nodes:
            shown = self.cluster.run(show_nodes(seen.nodes), place=self.cluster.places[0], user=user).text
            self.add(start_time(queue, seen, shown))
        for part in parts_of(job.run, self.plan.skip):
            section = sections.get(part.code)
            if section is None:
                self.add(left_out(part.code, f"part {part.code} of the job", queue, "the job did not get there"))
                continue
            for outcome in part.judge(section.text):
                self.add(outcome)
            if part.code is Code.BOOT_STEPS:
                self.boot_steps |= {node: boot.steps for node, boot in nodes.boot_of(section.text).items()}
        if self.plan.cluster.slurm.accounting and seen and seen.nodes:
            self.add(self.accounted(job))

    def output(self, job: _Submitted) -> dict[str, Section]:
        """Return the sections of a job's output. A file that a node wrote may appear late where users log in."""
        end = time.monotonic() + _SETTLING_SECONDS
        while True:
            text = self.cluster.run(
                f"cat {shlex.quote(job.script.output)}", place=self.cluster.places[0], user=job.run.user
            ).text
            found = job.script.parse(text)
            complete = len(found) == len(parts_of(job.run, self.plan.skip))
            if complete or time.monotonic() > end or (job.seen and job.seen.state != "COMPLETED"):
                return dict(found)
            time.sleep(1)

    def accounted(self, job: _Submitted) -> Outcome:
        what = f"sacct has the row of job {job.id}"
        command = (
            f"sacct --noheader --parsable2 --allocations --jobs={job.id} --format=JobID,State,Account,ElapsedRaw"
        )
        end = time.monotonic() + _SETTLING_SECONDS
        while True:
            said = self.cluster.run(command, place=self.cluster.places[0], user=job.run.user).text.strip()
            row = next((line for line in said.splitlines() if line.startswith(f"{job.id}|")), "")
            done = row and job.seen is not None and row.split("|")[1].split(" ")[0] == job.seen.state
            if done or time.monotonic() > end:
                break
            time.sleep(1)
        wrong = [] if done else [row or said.splitlines()[-1] if row or said else "no row"]
        return held(Code.ACCOUNTING, what, job.planned.queue, wrong, row.replace("|", ", "))

    def add(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def clean_up(self) -> None:
        for user, workspace in self.workspaces.items():
            try:
                remove_workspace(self.cluster, user, workspace, self.token)
            except AcceptanceError as error:
                self.say(f"could not clean up: {error}; jobs end by themselves, and the next run removes the files")
