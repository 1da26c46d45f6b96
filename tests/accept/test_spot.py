"""What `hpc accept --spot` asks, refuses and judges."""

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from elastic.lab import wait

from hpc_components.accept.cluster import Answer, Submitter
from hpc_components.accept.interruption import SpotMachine
from hpc_components.accept.plan import plan_acceptance
from hpc_components.accept.result import Outcome, State
from hpc_components.accept.spot import JobRun, SpotScript, Story, judge_story, read_runs, shared_with
from hpc_components.accept.spot_run import SpotTest
from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.elastic.drivers.contract import NoticeKind
from tests.processes import started
from tests.rehearse.performing import described

REACHES, REQUEUED, AGAIN, DONE, FREED = range(5)

NOTICE = "Reason=hpc: spot notice: the machine ends at 14:02:10 [slurm@103]"
RUNS = {0: JobRun(machine="i-1 a 10.0.0.1", id="i-1", step=0), 1: JobRun(machine="i-2 b 10.0.0.1", id="i-2", step=7)}
GOOD = [
    (101, "RUNNING", 0, 90, "ALLOCATED+CLOUD", ""),
    (104, "RUNNING", 0, 90, "DRAIN+ALLOCATED+CLOUD", NOTICE),
    (105, "COMPLETING", 1, 90, "DRAIN+COMPLETING+CLOUD", NOTICE),
    (107, "PENDING", 1, 107, "DRAIN+IDLE+CLOUD+POWERING_DOWN", NOTICE),
    (160, "RUNNING", 1, 150, "IDLE+CLOUD+POWERED_DOWN", ""),
    (165, "COMPLETED", 1, 150, "IDLE+CLOUD+POWERED_DOWN", ""),
]  # fmt: skip


def sample(now: int, state: str, restarts: int, started: int, node: str, reason: str) -> str:
    job = f"JobId=7 JobName=spot JobState={state} Reason=None Restarts={restarts} StartTime={started} NodeList=q-1"
    return f"now {now}\n{job}\nNodeName=q-1 NodeAddr=10.0.0.1 State={node} {reason}\n"


def told(samples, **changes) -> Story:
    story = Story(job=7, node="q-1", sent=101.0)
    story.read("".join(sample(*each) for each in samples))
    for name, value in changes.items():
        setattr(story, name, value)
    return story


def judged(story: Story, runs: Mapping[int, JobRun] = RUNS, *, count: bool = False) -> list[Outcome]:
    (run,) = plan_acceptance(described("aws-cfd"), queues=["spot"], spot=True).spot_runs
    return [*judge_story(story, runs, replace(run, speeds_count=count), cloud_named("aws"))]


def states(outcomes: list[Outcome]) -> list[str]:
    return [each.state.value for each in outcomes]


def test_a_job_that_moves_to_another_machine_passes_with_its_times() -> None:
    found = judged(told(GOOD), count=True)
    assert states(found) == ["passed"] * 5
    assert {figure.name: figure.value for each in found for figure in each.figures} == {
        "order to notice": 2.0,
        "notice to requeue": 2.0,
        "requeue to running": 45.0,
        "notice to a usable node": 57.0,
    }
    assert not any(figure.judged for figure in judged(told(GOOD))[REQUEUED].figures)


def test_a_notice_that_the_user_sends_has_no_time_of_its_order() -> None:
    found = judged(told(GOOD, sent=None))
    assert (found[REACHES].state, found[REACHES].figures) == (State.PASSED, ())


def test_a_notice_that_does_not_come_fails_and_nothing_else_is_judged() -> None:
    found = judged(told(GOOD[:1]))
    assert states(found) == ["failed", *["left out"] * 4]
    assert found[REACHES].detail == "q-1 showed no notice"


@pytest.mark.parametrize(
    ("changes", "runs", "line", "words"),
    [
        ({"noticed": None}, RUNS, REACHES, "q-1 showed no notice"),
        ({"restarts": 2}, RUNS, REQUEUED, "job 7 is COMPLETED: None, requeued 2 times"),
        ({"requeued": 500.0}, RUNS, REQUEUED, "notice to requeue is 397 s, expected at most 120"),
        ({"running": None}, RUNS, AGAIN, "job 7 is COMPLETED"),
        ({}, {0: RUNS[0]}, AGAIN, "job 7 is COMPLETED"),
        ({}, {0: RUNS[0], 1: replace(RUNS[1], machine=RUNS[0].machine)}, AGAIN, "it runs again on i-1 a 10.0.0.1"),
        ({}, {0: RUNS[0], 1: replace(RUNS[1], step=0)}, DONE, "it saved nothing at the notice"),
        ({"freed": None, "states": frozenset({"IDLE", "DRAIN"}), "reason": "hpc: spot notice"}, RUNS, FREED,
         "q-1 is DRAIN+IDLE: hpc: spot notice"),
    ],
)  # fmt: skip
def test_each_fault_fails_at_its_own_line(changes, runs, line, words) -> None:
    found = judged(told(GOOD, **changes), runs, count=True)
    assert [at for at, each in enumerate(found) if each.state is State.FAILED] == [line]
    assert words in found[line].detail


@pytest.mark.parametrize(
    ("samples", "line", "words"),
    [
        ([*GOOD[:2], (110, "FAILED", 0, 90, "DRAIN+IDLE+CLOUD", NOTICE)], REQUEUED, "job 7 is FAILED: None"),
        ([*GOOD[:2], (110, "NODE_FAIL", 0, 90, "DOWN+CLOUD", NOTICE)], REQUEUED, "job 7 is NODE_FAIL: None"),
        (GOOD[:4], AGAIN, "job 7 is PENDING: None"),
        ([*GOOD[:5], (170, "FAILED", 1, 150, "IDLE+CLOUD", "")], DONE, "job 7 is FAILED: None"),
    ],
)
def test_a_job_that_is_lost_or_fails_does_so_at_its_own_line(samples, line, words) -> None:
    found = judged(told(samples), {0: RUNS[0]} if line < DONE else RUNS)
    assert [at for at, each in enumerate(found[:FREED]) if each.state is State.FAILED] == [line]
    assert words in found[line].detail
    assert states(found)[line + 1 : FREED] == ["left out"] * (DONE - line)


def test_a_job_that_still_ends_its_first_run_does_not_run_again() -> None:
    story = told(GOOD[:4])
    assert (story.requeued, story.running) == (105.0, None)


def test_a_node_that_is_drained_again_is_not_usable() -> None:
    assert told([*GOOD, (170, "COMPLETED", 1, 150, "IDLE+CLOUD+DRAIN", NOTICE)]).freed is None


def test_an_answer_without_the_job_changes_nothing() -> None:
    story = told(GOOD)
    story.read("now 180\nslurm_load_jobs error: Unable to contact slurm controller\n")
    assert story.seen
    assert (story.seen.state, story.freed) == ("COMPLETED", 160.0)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_notice_of_each_cloud_is_recognized(cloud: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import import_module

    notices = import_module(f"hpc_components.elastic.drivers.{cloud}.notices")
    answers = {
        "aws": {"spot/instance-action": '{"action": "terminate", "time": "2026-11-29T14:02:10Z"}'},
        "azure": {
            notices.TOPIC if cloud == "azure" else "": '{"Events": [{"EventId": "e", "EventType": "Preempt",'
            ' "Resources": ["vm"], "NotBefore": "Sun, 29 Nov 2026 14:02:10 GMT"}]}'
        },
        "gcp": {"instance/preempted": "TRUE"},
    }

    class Metadata:
        address = "http://metadata"

        def read(self, topic: str) -> str | None:
            return answers[cloud].get(topic)

        def compute(self) -> Mapping[str, str]:
            return {"name": "vm"}

    sources = {"aws": "MetadataNotices", "azure": "ScheduledEvents", "gcp": "MetadataNotices"}
    notice = next(iter(getattr(notices, sources[cloud])(Metadata()).read()))
    assert notice.kind is NoticeKind.SPOT
    reason = f"Reason=hpc: {notice.words} [slurm@103]"
    assert told([(104, "RUNNING", 0, 90, "DRAIN+ALLOCATED+CLOUD", reason)]).noticed == 103.0


ALONE = (
    "JobId=7 JobState=RUNNING OverSubscribe=NO\nNodeName=q-1 NodeAddr=10.0.0.1 OverSubscribe=x\non node: 7\nnow 100\n"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ALONE, ""),
        (ALONE + "on node: 12\non node: 9\n", "its node also has job 9, 12"),
        (ALONE.replace("OverSubscribe=NO", "OverSubscribe=YES"), "Slurm does not say"),
        (ALONE.replace("on node: 7\n", ""), "Slurm does not say"),
        ("", "Slurm does not say"),
    ],
)
def test_a_node_with_jobs_of_others_or_that_may_get_some_is_left_alone(text: str, words: str) -> None:
    assert shared_with(text, 7).startswith(words)
    assert bool(shared_with(text, 7)) is bool(words)


class FakeCluster:
    """Answers what Slurm would, and counts machines that are taken away."""

    rehearsed = True
    places = ("head",)

    def __init__(self, sharers: str) -> None:
        self.sharers = sharers
        self.scripts: list[str] = []
        self.taken: list[SpotMachine] = []

    def submitter(self, queue=None) -> Submitter:
        return Submitter("alice", "")

    def run(self, script: str, *, place: str, user: str, stdin: str = "", seconds: int = 60) -> Answer:
        self.scripts.append(script)
        if script.startswith("cat"):
            return Answer("run 0 on machine i-1 a 10.0.0.1 begins after step 0\n", 0)
        if "squeue" in script:
            return Answer(self.sharers, 0)
        return Answer("".join(sample(*each) for each in GOOD[:1]), 0)

    def take_away(self, machine: SpotMachine, say) -> bool:
        self.taken.append(machine)
        return True


def performed(cluster: FakeCluster) -> list[Outcome]:
    plan = replace(plan_acceptance(described("aws-cfd"), queues=["spot"], spot=True), notice_within=0)
    run = replace(plan.spot_runs[0], user="alice", folder="/home/alice/t")
    script = SpotScript(run, plan.spot_jobs[0], Submitter("alice", ""), "t", plan.patience)
    test = SpotTest(plan=plan, cluster=cluster, say=lambda line: None, run=run, script=script, job=7)
    return [*test.outcomes()]


def test_a_machine_is_not_taken_from_the_jobs_of_others() -> None:
    cluster = FakeCluster(ALONE + "on node: 9\n")
    (found,) = performed(cluster)
    assert (found.state, found.detail) == (State.LEFT_OUT, "its node also has job 9")
    assert cluster.taken == []
    assert cluster.scripts[-1] == "scancel 7"


def test_the_machine_of_the_job_is_taken_and_a_job_without_notice_is_cancelled() -> None:
    cluster = FakeCluster(ALONE)
    assert states(performed(cluster)) == ["failed", *["left out"] * 4]
    assert cluster.taken == [SpotMachine(cluster="cfd", node="q-1", address="10.0.0.1", id="i-1")]
    assert "scancel 7" in cluster.scripts


def test_the_job_saves_at_sigterm_and_goes_on_from_there(tmp_path: Path) -> None:
    (run,) = plan_acceptance(described("aws-cfd"), queues=["spot"], spot=True).spot_runs
    plan = plan_acceptance(described("aws-cfd"), queues=["spot"], spot=True)
    script = SpotScript(replace(run, folder=str(tmp_path)), plan.spot_jobs[0], Submitter("a", ""), "t", 60)
    Path(script.folder).mkdir()
    assert {"#SBATCH --requeue", "#SBATCH --exclusive", "#SBATCH --open-mode=append", "#SBATCH --nodes=1"} <= set(
        script.text.splitlines()
    )
    with Path(script.output).open("a") as out:
        with started(["bash", "-c", script.text], stdout=out) as first:
            wait(lambda: "begins" in Path(script.output).read_text())
            first.send_signal(signal.SIGTERM)
            assert first.wait(timeout=60) == 0
        env = {**os.environ, "SLURM_RESTART_COUNT": "1"}
        subprocess.run(["bash", "-c", script.text], stdout=out, env=env, check=True, timeout=60)
    runs = read_runs(Path(script.output).read_text())
    assert (runs[0].step, runs[1].step > 0) == (0, True)
    assert len(runs[0].machine.split()) == 3
