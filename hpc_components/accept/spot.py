"""The job whose spot machine is taken away: its script, what Slurm says of it meanwhile, and what must be true."""

import math
import re
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hpc_components.accept.checks.part import QueueRun, below
from hpc_components.accept.cluster import Submitter
from hpc_components.accept.job import SeenJob, job_options, read_jobs
from hpc_components.accept.result import Code, Figure, Outcome, QueueJob, State, held, judged, left_out
from hpc_components.cloud import Cloud
from hpc_components.elastic.slurm.reasons import REASON_PREFIX
from hpc_components.elastic.slurm.records import field as value
from hpc_components.elastic.slurm.records import parse_nodes
from hpc_components.wording import plural

_NOTICE = f"{REASON_PREFIX}spot notice"
"""How the reason begins that a node sets if its machine gets a spot notice (`elastic/node/watch.py`, and the words of
each cloud's `notices.py`)."""

_UNUSABLE = {"DOWN", "DRAIN", "FAIL"}

_NOTICE_SOURCE = "time from the cloud's notice to the end of the machine: limits of its driver, with their sources"

_REACHES = "a spot machine that is taken away gets its notice, and its node is drained"
_REQUEUED = "the job is requeued once, before its machine ends"
_AGAIN = "the job runs again on another machine"
_DONE = "the job goes on from what it saved at the notice, and completes"
_FREED = "the node does not stay drained"
_AFTER = (_REQUEUED, _AGAIN, _DONE, _FREED)

_SAMPLES = 20
"""Seconds for which one call watches. A connection for each second would be slower than a second."""

_SCRIPT = """\
cd {folder} || exit 1
run=${{SLURM_RESTART_COUNT:-0}} step=$(cat step 2>/dev/null || echo 0)
id=$(cat /var/lib/cloud/data/instance-id 2>/dev/null || echo -)
address=$(hostname -I | cut -d ' ' -f 1) boot=$(cat /proc/sys/kernel/random/boot_id)
echo "run $run on machine $id $boot $address begins after step $step"
if [ "$run" -gt 0 ]; then
  echo "run $run is done"
  exit
fi
trap 'echo "$((step + 1))" >step; echo "run $run saves step $((step + 1))"; exit' TERM
while [ "$step" -lt {seconds} ]; do
  sleep 1 &
  wait "$!"
  step=$((step + 1))
done
echo "run $run was not interrupted"
exit 1
"""
"""A job that can go on where it stopped. cloud-init writes its id of the machine. Source: cloud-init documentation,
"/var/lib/cloud"."""

_BEGINS = re.compile(r"^run (\d+) on machine ((\S+) \S+ \S+) begins after step (\d+)$", re.M)


class SpotScript:
    """The script of the job. It may wait for its nodes for `patience` seconds, twice."""

    def __init__(self, run: QueueRun, planned: QueueJob, by: Submitter, token: str, patience: int) -> None:
        self.folder = below(run.folder, f"{run.queue.name}-spot")
        self.output = below(self.folder, "out")
        # Slurm starts no run that could last beyond the deadline
        minutes = 2 * (math.ceil(patience / 60) + planned.minutes + 1)
        options = job_options(run, planned, by, token, minutes, self.output)
        body = _SCRIPT.format(folder=shlex.quote(self.folder), seconds=60 * planned.minutes)
        self.text = "\n".join(["#!/bin/bash", *options, "#SBATCH --requeue", "#SBATCH --open-mode=append", body])


@dataclass(frozen=True, kw_only=True)
class JobRun:
    """One of the job's runs, as its output tells."""

    machine: str
    """Tells machines apart: cloud-init's id, the boot's id and the address."""
    id: str
    """cloud-init's id of the machine, or `-`."""
    step: int
    """Step after which it began."""


def read_runs(output: str) -> Mapping[int, JobRun]:
    """Return the job's runs by their number."""
    return {
        int(number): JobRun(machine=machine, id=id, step=int(step))
        for number, machine, id, step in _BEGINS.findall(output)
    }


def show_sharers(job: int, node: str) -> str:
    """Return Bash that prints job and node, the jobs on the node, and the time. `shared_with` takes its output."""
    shown = f"scontrol --oneliner show job {job}; scontrol --oneliner show node {node}"
    return f"{shown}; squeue --noheader --nodelist={node} --format='on node: %A'; echo \"now $(date +%s)\""


def clock_of(text: str) -> float:
    """Return the cluster's time, given the output of `show_sharers`."""
    found = re.search(r"^now (\d+)$", text, re.M)
    return float(found[1]) if found else time.time()


def address_of(text: str) -> str:
    """Return the node's address, given the output of `show_sharers`."""
    return next((address for line in text.splitlines() if (address := value(line, "NodeAddr"))), "")


def shared_with(text: str, job: int) -> str:
    """Return why taking the node away could hurt other jobs, or an empty string.

    Slurm may hide other people's jobs (PrivateData). So it must also say that the job has the node for itself, which
    a partition with `OverSubscribe=FORCE` prevents. Source: slurm.conf(5), OverSubscribe; scontrol(1).
    """
    there = set(re.findall(r"^on node: (\d+)$", text, re.M))
    others = sorted(there - {str(job)}, key=int)
    if others:
        return f"its node also has job {', '.join(others)}"
    alone = any(
        value(line, "OverSubscribe") == "NO" for line in text.splitlines() if value(line, "JobId") == str(job)
    )
    return "" if alone and there else "Slurm does not say that the job has its node for itself"


def show_both(job: int, node: str) -> str:
    """Return Bash that prints job and node once a second. `Story.read` takes its output."""
    shown = f"scontrol --oneliner show job {job}; scontrol --oneliner show node {node}"
    again = f'echo "now $(date +%s)"; {shown}; sleep 1'
    return f"export SLURM_TIME_FORMAT=%s; for second in $(seq {_SAMPLES}); do {again}; done"


@dataclass(kw_only=True)
class Story:
    """What became of job and node. Times are those of the cluster's clock, in seconds since the epoch."""

    job: int
    node: str
    sent: float | None = None
    """When the cloud took the order, or None if the user gives it."""
    noticed: float | None = None
    notice: str = ""
    """The node's reason after the notice."""
    requeued: float | None = None
    running: float | None = None
    """When the job ran again."""
    freed: float | None = None
    """When the node could be used again."""
    restarts: int = 0
    seen: SeenJob | None = None
    states: frozenset[str] = field(default_factory=frozenset)
    reason: str = ""

    @property
    def begun(self) -> bool:
        """Whether the machine is being taken away."""
        return self.noticed is not None or self.restarts > 0

    @property
    def ended(self) -> bool:
        return self.seen is not None and self.seen.ended

    def read(self, text: str) -> None:
        for sample in re.split(r"^now ", text, flags=re.M)[1:]:
            now, _, shown = sample.partition("\n")
            self._see_job(float(now), shown)
            self._see_node(float(now), shown)

    def _see_job(self, now: float, shown: str) -> None:
        found = read_jobs(shown, [self.job])
        if not found:
            return  # slurmctld did not answer
        self.seen = found[self.job]
        line = next((line for line in shown.splitlines() if value(line, "JobId") == str(self.job)), "")
        self.restarts = int(value(line, "Restarts") or self.restarts)
        if self.restarts and self.requeued is None:
            self.requeued = now
        # a requeued job may still be COMPLETING its first run
        if self.restarts and self.running is None and (self.seen.state == "RUNNING" or self.seen.ended):
            started = value(line, "StartTime")
            self.running = float(started) if started.isdigit() else now if self.seen.state == "RUNNING" else None

    def _see_node(self, now: float, shown: str) -> None:
        for node in parse_nodes(shown):
            self.states, self.reason = node.states, node.reason
            if self.noticed is None and node.reason.startswith(_NOTICE):
                found = re.search(r"\[\S+@(\d+)\]", shown)
                self.noticed, self.notice = float(found[1]) if found else now, node.reason
            if node.states & _UNUSABLE:
                self.freed = None
            elif self.freed is None and self.begun:
                self.freed = now


def judge_story(story: Story, runs: Mapping[int, JobRun], run: QueueRun, cloud: Cloud) -> Iterator[Outcome]:
    """Yield what must be true after the machine was to be taken away. What follows from a failed line is left out."""
    queue = run.queue.name
    noticed = [] if story.noticed is not None else [f"{story.node} showed no notice"]
    yield _line(_REACHES, queue, noticed, _between("order to notice", story.sent, story.noticed))
    if not story.begun and not story.ended:
        yield from (left_out(Code.SPOT, what, queue, "no machine was taken away") for what in _AFTER)
        return
    in_time = cloud.spot_notice_seconds + cloud.spot_shutdown_seconds if run.speeds_count else None
    took = _between("notice to requeue", story.noticed, story.requeued, at_most=in_time)
    lines = [
        _line(_REQUEUED, queue, _requeue_faults(story), took),
        _line(_AGAIN, queue, _run_faults(story, runs), _between("requeue to running", story.requeued, story.running)),
        _line(_DONE, queue, _end_faults(story, runs)),
    ]
    failed = next((at for at, line in enumerate(lines) if line.state is State.FAILED), len(lines))
    yield from lines[: failed + 1]
    yield from (left_out(Code.SPOT, line.what, queue, "the job did not get there") for line in lines[failed + 1 :])
    drained = [] if story.freed is not None else [f"{story.node} is {'+'.join(sorted(story.states))}: {story.reason}"]
    yield _line(_FREED, queue, drained, _between("notice to a usable node", story.noticed, story.freed))


def _requeue_faults(story: Story) -> list[str]:
    return [] if story.restarts == 1 else [f"{_job(story)}, requeued {plural(story.restarts, 'time')}"]


def _run_faults(story: Story, runs: Mapping[int, JobRun]) -> list[str]:
    if story.running is None or 1 not in runs:
        return [_job(story)]
    return [f"it runs again on {runs[1].machine}"] if 0 in runs and runs[0].machine == runs[1].machine else []


def _end_faults(story: Story, runs: Mapping[int, JobRun]) -> list[str]:
    wrong = [] if story.seen and story.seen.state == "COMPLETED" else [_job(story)]
    return wrong if 1 in runs and runs[1].step else [*wrong, "it saved nothing at the notice"]


def _job(story: Story) -> str:
    seen = story.seen
    return f"job {story.job} is {seen.state}: {seen.reason}" if seen else f"job {story.job} was not seen"


def _line(what: str, queue: str, wrong: Sequence[str], figures: Sequence[Figure] = ()) -> Outcome:
    """Return a line that passes if nothing is wrong, and figures are within their limits."""
    if wrong or any(figure.judged for figure in figures):
        return judged(Code.SPOT, what, queue, figures, wrong="; ".join(wrong))
    return replace(held(Code.SPOT, what, queue, []), figures=tuple(figures))


def _between(name: str, begin: float | None, end: float | None, *, at_most: float | None = None) -> list[Figure]:
    """Return the seconds between two times, or nothing if one is unknown."""
    if begin is None or end is None:
        return []
    source = _NOTICE_SOURCE if at_most is not None else ""
    return [Figure(name=name, value=round(max(0.0, end - begin), 1), unit="s", at_most=at_most, source=source)]
