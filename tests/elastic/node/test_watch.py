"""What the watcher does about notices, without daemons; test_watch_real.py has them."""

import json
from pathlib import Path

import pytest
from serving import serving

from elastic.drivers.fake_metadata import FakeMetadata
from hpc_components.boot.archive import units
from hpc_components.elastic.drivers.aws.notices import InstanceMetadata, MetadataNotices
from hpc_components.elastic.drivers.contract import Notice, NoticeKind
from hpc_components.elastic.node.watch import NoticeWatcher
from hpc_components.elastic.slurm.scontrol import SlurmCommandError

NODES = (Path(__file__).parents[1] / "slurm/recorded/24.11.5/nodes.txt").read_text().splitlines()
SPOT = {"action": "terminate", "time": "2026-09-18T08:22:00Z"}
EVENT = {"NotBefore": "21 Jan 2027 09:00:43 GMT", "Code": "instance-retirement", "State": "active"}


class FakeSlurm:
    """Answers the watcher's commands; `fails` maps the first words of a command to an error."""

    def __init__(self, node: str) -> None:
        self.node = next(line for line in NODES if line.startswith(f"NodeName={node} "))
        self.jobs: list[str] = []
        self.fails: dict[str, str] = {}
        self.done: list[str] = []
        self.saving = 0
        """Looks for which a job that was requeued is still completing."""
        self.completing: list[str] = []

    def __call__(self, command):
        words = " ".join(command)
        for start, error in self.fails.items():
            if words.startswith(start):
                raise SlurmCommandError(error)
        if words.startswith("squeue"):
            return "\n".join(self.jobs + (self._still_completing() if "COMPLETING" in words else []))
        if words.startswith("scontrol show"):
            return self.node
        self.done.append(words)
        if words.startswith("scontrol requeue"):
            self.jobs.remove(words.split()[-1])
            self.completing.append(words.split()[-1])
        return ""

    def _still_completing(self):
        self.saving -= 1
        return self.completing if self.saving >= 0 else []


@pytest.fixture
def service(tmp_path):
    with serving(FakeMetadata(0, tmp_path)) as server:
        yield server


def make_watch(service, slurm, node="compute-queue-1"):
    told: list[str] = []
    return NoticeWatcher(node, MetadataNotices(InstanceMetadata(service.url)), slurm, told.append), told


def put(service, topic, value):
    (service.folder / topic.replace("/", "_")).write_text(json.dumps(value))


def test_without_news_nothing_is_asked_of_slurm(service):
    slurm = FakeSlurm("compute-queue-1")
    watch, told = make_watch(service, slurm)
    slurm.fails = {"": "not to be asked"}
    watch.look()
    assert told == []


def test_a_spot_notice_drains_and_requeues_once(service):
    slurm = FakeSlurm("compute-queue-1")
    put(service, "spot/instance-action", SPOT)
    watch, told = make_watch(service, slurm)
    slurm.jobs = ["12", "3_1"]
    watch.look()
    watch.look()
    drain, *requeued = slurm.done
    assert drain.startswith(
        "scontrol update nodename=compute-queue-1 state=drain reason=hpc: spot notice: the machine ends at "
    )
    assert requeued == ["scontrol requeue 12", "scontrol requeue 3_1"]
    assert [words for words in told if "job" in words] == ["job 12 requeued", "job 3_1 requeued"]


def test_a_machine_switched_off_with_its_notice_waits_for_saving_jobs(service):
    """systemd stops the watcher before any look has seen the notice."""
    slurm = FakeSlurm("compute-queue-1")
    watch, told = make_watch(service, slurm)
    slurm.jobs, slurm.saving = ["12"], 2
    pauses = []

    def pause(seconds):
        pauses.append(seconds)
        put(service, "spot/instance-action", SPOT)

    watch.finish(pause)
    assert [words.split()[1] for words in slurm.done] == ["update", "requeue"]
    assert told[-1] == "waiting for the requeued jobs to leave the node"
    assert pauses == [1.0, 1.0, 1.0]  # for the notice, and twice for the job


def test_a_watcher_that_is_stopped_without_a_notice_does_nothing(service):
    slurm = FakeSlurm("compute-queue-1")
    watch, told = make_watch(service, slurm)
    slurm.fails = {"": "not to be asked"}
    watch.finish(lambda seconds: None)
    assert told == []


def test_jobs_that_save_are_waited_for_while_slurm_does_not_answer(service):
    slurm = FakeSlurm("compute-queue-1")
    put(service, "spot/instance-action", SPOT)
    watch, told = make_watch(service, slurm)
    slurm.jobs, slurm.saving = ["12"], 1
    watch.look()
    slurm.fails = {"squeue": "squeue: no answer"}
    watch.finish(lambda seconds: slurm.fails.clear())
    assert told[-2:] == ["squeue: no answer", "waiting for the requeued jobs to leave the node"]


def test_the_unit_stops_before_what_the_watcher_and_jobs_need():
    """systemd stops units in the reverse order of their start. Its control group has the `scontrol` of a requeue."""
    unit = units()["hpc-watch.service"].splitlines()
    after = next(line for line in unit if line.startswith("After=")).removeprefix("After=").split()
    assert {"network-online.target", "remote-fs.target", "munge.service", "hpc-names.service", "slurmd.service"} <= {
        *after
    }
    assert "KillMode=mixed" in unit
    assert "TimeoutStopSec=90" in unit


def test_a_part_of_a_heterogeneous_job_is_requeued_as_a_whole(service):
    slurm = FakeSlurm("compute-queue-1")
    slurm.jobs = ["20+0", "20+1"]
    slurm.fails = {"scontrol requeue": "whatever"}
    put(service, "spot/instance-action", SPOT)
    watch, told = make_watch(service, slurm)
    watch.look()
    assert told[-1] == "job 20 was not requeued: whatever"


def test_a_job_that_cannot_be_requeued_is_told_once_and_left(service):
    slurm = FakeSlurm("compute-queue-1")
    slurm.jobs = ["12"]
    slurm.fails = {"scontrol requeue": "scontrol: Requested operation is presently disabled for job 12"}
    put(service, "spot/instance-action", SPOT)
    watch, told = make_watch(service, slurm)
    watch.look()
    watch.look()
    assert [words for words in told if "job" in words] == [
        "job 12 was not requeued: scontrol: Requested operation is presently disabled for job 12"
    ]


def test_no_job_is_requeued_before_the_node_is_drained(service):
    slurm = FakeSlurm("compute-queue-1")
    slurm.jobs = ["12"]
    put(service, "spot/instance-action", SPOT)
    watch, told = make_watch(service, slurm)
    slurm.fails = {"scontrol update": "scontrol: Unable to contact slurm controller"}
    watch.look()
    assert slurm.done == []
    assert told[-1] == "scontrol: Unable to contact slurm controller"
    slurm.fails = {}
    watch.look()
    assert [words.split()[1] for words in slurm.done] == ["update", "requeue"]


def test_a_spot_notice_counts_whatever_else_can_t_be_read(service):
    slurm = FakeSlurm("compute-queue-1")
    slurm.jobs = ["12"]
    put(service, "spot/instance-action", SPOT)
    put(service, "events/maintenance/scheduled", "no list of events")
    watch, told = make_watch(service, slurm)
    watch.look()
    watch.look()
    assert [words.split()[1] for words in slurm.done] == ["update", "requeue"]
    assert [words.startswith("instance metadata: unexpected response") for words in told].count(True) == 1


def test_a_maintenance_notice_only_drains(service):
    slurm = FakeSlurm("compute-queue-1")
    slurm.jobs = ["12"]
    put(service, "events/maintenance/scheduled", [EVENT])
    watch, _ = make_watch(service, slurm)
    watch.look()
    assert len(slurm.done) == 1
    assert "reason=hpc: maintenance scheduled: instance-retirement at 2027-01-21 " in slurm.done[0]


def test_a_recommendation_is_only_told(service):
    slurm = FakeSlurm("compute-queue-1")
    put(service, "events/recommendations/rebalance", {"noticeTime": "2026-09-18T08:22:00Z"})
    watch, told = make_watch(service, slurm)
    watch.look()
    watch.look()
    assert slurm.done == []
    assert told == ["EC2 may reclaim this spot machine soon"]


def test_a_pause_is_only_told():
    class Paused:
        address = "http://127.0.0.1:1"

        def read(self):
            yield Notice(kind=NoticeKind.PAUSE, at=1.0, words="pause of a few seconds")

    slurm, told = FakeSlurm("compute-queue-1"), []
    slurm.jobs = ["12"]
    NoticeWatcher("compute-queue-1", Paused(), slurm, told.append).look()
    assert (slurm.done, told) == ([], ["pause of a few seconds"])


def test_a_node_drained_by_somebody_keeps_its_reason(service):
    slurm = FakeSlurm("compute-queue-3")
    slurm.jobs = ["12"]
    put(service, "spot/instance-action", SPOT)
    watch, told = make_watch(service, slurm, "compute-queue-3")
    watch.look()
    assert slurm.done == ["scontrol requeue 12"]
    assert 'already drained by an administrator: a "quoted" State=IDLE [x] = of others' in told


def test_a_service_that_does_not_answer_is_told_once(service):
    service.broken = True
    watch, told = make_watch(service, FakeSlurm("compute-queue-1"))
    watch.look()
    watch.look()
    assert len(told) == 1
