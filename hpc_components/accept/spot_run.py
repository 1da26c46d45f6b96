"""Has a spot machine taken away under a job of the test, and watches until job and node have recovered."""

import math
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hpc_components.accept.checks.part import QueueRun
from hpc_components.accept.cluster import AcceptanceError, Cluster
from hpc_components.accept.interruption import SpotMachine
from hpc_components.accept.job import SeenJob, read_jobs, show_jobs
from hpc_components.accept.plan import Plan
from hpc_components.accept.result import Code, Outcome, held, left_out
from hpc_components.accept.spot import (
    JobRun,
    SpotScript,
    Story,
    address_of,
    clock_of,
    judge_story,
    read_runs,
    shared_with,
    show_both,
    show_sharers,
)
from hpc_components.cloud import cloud_named
from hpc_components.wording import plural

_POLL_SECONDS, _REHEARSED_POLL_SECONDS = 10, 1

_WATCHING_SECONDS = 120
"""Time after which one call that watches is given up. It usually takes about 20 s."""

_OUTPUT_SECONDS = 120
"""Time after which a job's output must have arrived where users log in."""

_RECOVERY_SECONDS = 900
"""Time for a job and its node to recover, besides the launch of another machine."""


@dataclass(kw_only=True)
class SpotTest:
    """The test of a queue. `run` has the user and the folder, and job `job` has been submitted."""

    plan: Plan
    cluster: Cluster
    say: Callable[[str], None]
    run: QueueRun
    script: SpotScript
    job: int
    story: Story = field(init=False)

    def outcomes(self) -> Sequence[Outcome]:
        """Take the machine away when the job runs, and judge what follows. A job that has not ended is cancelled."""
        what = "a job runs on a spot machine"
        seen = self.wait_for_start()
        first = self.runs(0).get(0) if seen and seen.state == "RUNNING" else None
        if first is None or not seen or not seen.nodes:
            self.cancel()
            state = f"{seen.state}: {seen.reason}" if seen else "unknown"
            return [held(Code.SPOT, what, self.queue, [f"job {self.job} is {state}, and its output is empty"])]
        node = seen.nodes[0]
        shown = self.ask(show_sharers(self.job, node))
        if shared := shared_with(shown, self.job):
            self.cancel()
            return [left_out(Code.SPOT, "a spot machine is taken away", self.queue, shared)]
        self.story = Story(job=self.job, node=node)
        self.take_away(first, shown)
        self.watch()
        runs = self.runs(self.story.restarts)
        return [*judge_story(self.story, runs, self.run, cloud_named(self.plan.cluster.cloud))]

    @property
    def queue(self) -> str:
        return self.run.queue.name

    @property
    def pause(self) -> int:
        return _REHEARSED_POLL_SECONDS if self.cluster.rehearsed else _POLL_SECONDS

    def wait_for_start(self) -> SeenJob | None:
        """Wait until the job runs, has ended, or has waited too long. Return what Slurm says of it."""
        seen, end = None, time.monotonic() + self.plan.patience
        while time.monotonic() < end:
            before = seen
            seen = (read_jobs(self.ask(show_jobs([self.job])), [self.job]) or {}).get(self.job, seen)
            self.tell(before, seen)
            if seen and (seen.state == "RUNNING" or seen.ended):
                break
            time.sleep(self.pause)
        return seen

    def runs(self, number: int) -> Mapping[int, JobRun]:
        """Return what the output says of the job's runs, when it has come to this one, or after some time."""
        end = time.monotonic() + _OUTPUT_SECONDS
        while True:
            found = read_runs(self.ask(f"cat {shlex.quote(self.script.output)}"))
            if number in found or time.monotonic() > end:
                return found
            time.sleep(1)

    def take_away(self, first: JobRun, shown: str) -> None:
        machine = SpotMachine(
            cluster=self.plan.cluster.name, node=self.story.node, address=address_of(shown), id=first.id
        )  # fmt: skip
        before = time.monotonic()
        self.say(f"queue {self.queue}: only job {self.job} runs on {machine.node}, whose machine is now taken away")
        if self.cluster.take_away(machine, self.say):
            self.story.sent = clock_of(shown) + time.monotonic() - before
        minutes = math.ceil(self.plan.notice_within / 60)
        self.say(f"queue {self.queue}: waiting up to {plural(minutes, 'minute')} for its notice")

    def watch(self) -> None:
        """Follow job and node until both have recovered, or time is up."""
        story, end = self.story, time.monotonic() + self.plan.notice_within
        while not (story.ended and (story.freed is not None or not story.begun)) and time.monotonic() < end:
            begun, before = story.begun, story.seen
            if shown := self.ask(show_both(self.job, story.node), seconds=_WATCHING_SECONDS):
                story.read(shown)
            else:
                time.sleep(self.pause)
            if story.begun and not begun:
                self.say(f"queue {self.queue}: {story.notice or 'no notice was seen'}; job {self.job} is requeued")
                end = time.monotonic() + self.plan.patience + _RECOVERY_SECONDS
            self.tell(before, story.seen)
        if not story.ended:
            self.cancel()

    def tell(self, before: SeenJob | None, now: SeenJob | None) -> None:
        if now and (before is None or before.state != now.state):
            self.say(f"queue {self.queue}: job {self.job} is {now.state}")

    def ask(self, script: str, *, seconds: int = 60) -> str:
        """Return the output of a script, or nothing if the connection is lost for the moment."""
        try:
            return self.cluster.run(script, place=self.cluster.places[0], user=self.run.user, seconds=seconds).text
        except AcceptanceError as error:
            self.say(f"{error}; trying again")
            return ""

    def cancel(self) -> None:
        self.ask(f"scancel {self.job}")
