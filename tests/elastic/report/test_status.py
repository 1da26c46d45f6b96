"""What the daemon tells of itself: the document, and what status and metrics make of it."""

import json
import re
import time
import urllib.error
import urllib.request
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from hpc_components.elastic.budget.look import Look
from hpc_components.elastic.config import Config, QueueConfig
from hpc_components.elastic.decide.table import Action, CloudState
from hpc_components.elastic.drivers.contract import RefusedError
from hpc_components.elastic.journal.entries import BlockedPool
from hpc_components.elastic.model import Instance, InstanceState, Pool
from hpc_components.elastic.report.events import Costs, CycleReport, Event, EventKind, Wait
from hpc_components.elastic.report.metrics import LOGIN_TARGETS, Exporter, as_prometheus
from hpc_components.elastic.report.status import EVENTS_KEPT, Status
from hpc_components.elastic.report.targets import login_targets
from hpc_components.elastic.report.text import as_text, trouble
from hpc_components.elastic.slurm.node_states import SlurmState

NOW = 1_790_000_000.0  # 13:33:20 UTC
C6I = Pool(queue="spot", machine="c6i.32xlarge", zone="use2-az1", purchase="spot")
HPC6A = Pool(queue="compute-queue", machine="hpc6a.48xlarge", zone="use2-az2", purchase="on_demand")
CONFIG = Config(
    cluster="cfd",
    cloud="aws",
    region="us-east-2",
    queues=(
        QueueConfig(name="compute-queue", max=16, pools=(HPC6A,)),
        QueueConfig(name="spot", max=200, min=1, pools=(C6I,)),
    ),
)


def machine(node, pool, state=InstanceState.RUNNING):
    return Instance(id=f"i-{node}", node=node, token="t", pool=pool, state=state, launched=NOW - 60)


REPORT = CycleReport(
    time=NOW,
    pause=5.0,
    instances=(
        machine("compute-queue-1", HPC6A),
        machine("compute-queue-3", HPC6A, InstanceState.PENDING),
        machine("compute-queue-4", HPC6A, InstanceState.STOPPING),
        machine("spot-1", C6I),
    ),
    cells={
        node: (slurm.value, cloud.value, Action.NOTHING.value)
        for node, slurm, cloud in (
            ("compute-queue-1", SlurmState.UP, CloudState.RUNNING),
            ("compute-queue-2", SlurmState.POWERING_UP, CloudState.ASKED),
            ("compute-queue-3", SlurmState.POWERING_UP, CloudState.PENDING),
            ("compute-queue-4", SlurmState.POWERING_DOWN, CloudState.ENDED),
            ("compute-queue-5", SlurmState.OFF, CloudState.NONE),
            ("compute-queue-6", SlurmState.DRAINING, CloudState.RUNNING),
            ("spot-1", SlurmState.UP, CloudState.RUNNING),
            ("spot-2", SlurmState.NO_CAPACITY, CloudState.NONE),
            ("old-9", SlurmState.ABSENT, CloudState.RUNNING),
        )
    },
    events=(
        Event(
            time=NOW, kind=EventKind.LAUNCH, nodes=("compute-queue-2", "compute-queue-3"),
            words=f"compute-queue-[2-3]: launched, {HPC6A}",
        ),
        Event(time=NOW + 1, kind=EventKind.CAPACITY, nodes=("spot-2",), words=f"no capacity: {C6I}"),
    ),
    waits=(Wait(nodes=("compute-queue-2", "compute-queue-3"), until=NOW + 600, words="its machine boots"),),
    blocked=(BlockedPool(pool=C6I, until=NOW + 540, words='the "cloud" said: no'),),
    calls=3,
)  # fmt: skip


class Clock:
    now = NOW - 100

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def status(clock):
    made = Status(CONFIG, clock)
    clock.now = NOW + 3
    return made


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def numbers(document, queue):
    found = next(each for each in document["queues"] if each["name"] == queue)
    return {key: value for key, value in found.items() if value and key not in ("name", "min", "max")}


def test_nodes_are_counted_by_what_slurm_says_of_them(status):
    status.put(REPORT, 0.4)
    document = status.document()
    assert numbers(document, "compute-queue") == {
        "wanted": 3, "up": 1, "coming": 2, "asked": 1, "going": 1, "off": 1, "drained": 1, "machines": 2,
    }  # fmt: skip
    assert numbers(document, "spot") == {"wanted": 1, "up": 1, "down": 1, "machines": 1}


def test_the_document_is_json_and_names_nodes_as_slurm_does(status):
    status.put(REPORT, 0.4)
    document = json.loads(json.dumps(status.document()))
    assert document["waits"] == [{"nodes": "compute-queue-[2-3]", "until": NOW + 600, "words": "its machine boots"}]
    assert document["events"][0]["nodes"] == "compute-queue-[2-3]"
    assert document["events"][0]["kind"] == "launch"
    assert document["blocked"][0] == {
        "queue": "spot", "machine": "c6i.32xlarge", "zone": "use2-az1", "purchase": "spot",
        "until": NOW + 540, "words": 'the "cloud" said: no',
    }  # fmt: skip


def test_totals_count_from_the_start(status):
    for _ in range(3):
        status.put(REPORT, 0.5)
    status.woken("resume")
    totals = status.document()["totals"]
    assert (totals["cycles"], totals["cycle_seconds"], totals["calls"]) == (3, 1.5, 9)
    assert (totals["events"]["launch"], totals["events"]["terminate"]) == (3, 0)
    assert totals["wakes"] == {"resume": 1}


def test_only_so_many_events_are_kept(status):
    for _ in range(EVENTS_KEPT):
        status.put(REPORT, 0.1)
    assert len(status.document()["events"]) == EVENTS_KEPT


def test_what_was_seen_stays_while_slurm_is_away(status, clock):
    status.put(REPORT, 0.4)
    clock.now = NOW + 65
    status.put(CycleReport(time=NOW + 60, pause=5.0, problem="Slurm does not answer: refused"), 9.0)
    document = status.document()
    assert numbers(document, "compute-queue")["up"] == 1
    assert trouble(document) == "Slurm does not answer: refused"
    assert as_text(document).splitlines()[:3] == [
        "hpc-elastic on cluster cfd: Slurm does not answer: refused",
        "the last cycle began 5 s ago and took 9.0 s",
        "the information below is 65 s old",
    ]


def test_before_the_first_cycle_the_status_says_so(status):
    assert trouble(status.document()) == "no cycle yet"
    assert "1970" not in as_text(status.document())
    assert "ago" not in as_text(status.document())


def test_a_hanging_cycle_is_reported_as_trouble(status, clock):
    status.put(REPORT, 0.5)
    clock.now = NOW + 0.5 + 5 + 59
    assert trouble(status.document()) == ""
    clock.now = NOW + 0.5 + 5 + 300
    assert trouble(status.document()) == "a cycle started 5 min ago and has not finished"


def test_the_status_is_written_in_words(status):
    status.put(replace(REPORT, events=(*REPORT.events, Event(time=NOW + 2, kind=EventKind.UP, words="x: up"))), 0.4)
    expected = (Path(__file__).parent / "golden/status.txt").read_text()
    assert as_text(status.document()) == expected


def test_a_metric_is_as_prometheus_reads_it(status):
    status.put(REPORT, 0.4)
    status.woken("resume")
    name, label = r"hpc_elastic_[a-z_]+", r'[a-z]+="(?:[^"\\]|\\.)*"'
    sample = re.compile(rf"({name})(\{{{label}(,{label})*\}})? (NaN|[0-9.e+-]+)")
    described, samples = set(), {}
    for line in as_prometheus(status.document()).splitlines():
        if line.startswith("#"):
            assert re.fullmatch(rf"# (HELP {name} .+|TYPE {name} (gauge|counter))", line)
            described.add(line.split()[2])
            continue
        match = sample.fullmatch(line)
        assert match, line
        assert match[1] in described
        assert line.rpartition(" ")[0] not in samples, "given twice"
        samples[line.rpartition(" ")[0]] = float(match[4])
    assert samples['hpc_elastic_nodes{queue="compute-queue",state="coming"}'] == 2
    assert samples['hpc_elastic_machines{queue="compute-queue"}'] == 2
    assert samples["hpc_elastic_healthy"] == 1
    assert samples["hpc_elastic_last_cycle_timestamp_seconds"] == NOW
    assert samples['hpc_elastic_events_total{kind="capacity"}'] == 1
    assert samples['hpc_elastic_wakes_total{program="resume"}'] == 1
    pool = 'queue="spot",machine="c6i.32xlarge",zone="use2-az1",purchase="spot"'
    assert samples[f"hpc_elastic_pool_blocked_until_timestamp_seconds{{{pool}}}"] == NOW + 540


def test_a_label_may_hold_anything(status):
    pool = replace(C6I, machine='a"b\\c\nd')
    status.put(replace(REPORT, blocked=(BlockedPool(pool=pool, until=1.0, words=""),)), 0.1)
    assert r'machine="a\"b\\c\nd"' in as_prometheus(status.document())


def test_prometheus_reads_the_status_from_the_exporter(status):
    status.put(REPORT, 0.4)
    with closing(Exporter("127.0.0.1:0", {"/metrics": lambda: as_prometheus(status.document())})) as exporter:
        with urllib.request.urlopen(f"http://127.0.0.1:{exporter.port}/metrics") as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            assert b"hpc_elastic_cycles_total 1\n" in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="404") as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{exporter.port}/")
        refused.value.close()


@pytest.mark.parametrize("error", [OSError("the cloud does not answer"), RefusedError("the cloud does not answer")])
def test_prometheus_keeps_its_login_nodes_while_the_cloud_does_not_list_them(error):
    answers = [lambda: login_targets([]), lambda: (_ for _ in ()).throw(error)]
    with closing(Exporter("127.0.0.1:0", {LOGIN_TARGETS: lambda: answers.pop(0)()})) as exporter:
        address = f"http://127.0.0.1:{exporter.port}{LOGIN_TARGETS}"
        with urllib.request.urlopen(address) as answer:
            assert answer.headers["Content-Type"] == "application/json"
            assert json.load(answer) == []
        with pytest.raises(urllib.error.HTTPError, match="503") as refused:
            urllib.request.urlopen(address)
        assert b"the cloud does not answer" in refused.value.read()
        refused.value.close()


@pytest.mark.parametrize("address", ["9818", ":9818", "localhost", "localhost:http"])
def test_an_address_that_is_none_is_refused(status, address):
    with pytest.raises(ValueError, match=r"127\.0\.0\.1:9818"):
        Exporter(address, {})


NANO = 10**9
LOOK = Look(
    at=NOW, limit=60_000 * NANO, spent=48_600_120_000_000, rate=120 * NANO, stopped=False, forecast=None
)  # 21 September


def test_a_budget_is_shown_to_people_and_programs():
    status = Status(CONFIG, lambda: NOW)
    status.put(replace(REPORT, budget=LOOK), 0.1)
    budget = status.document()["budget"]
    assert (budget["limit_usd"], budget["spent_usd"], budget["left_usd"]) == ("60000", "48600.12", "11399.88")
    text = as_text(status.document())
    assert "the budget of September is 60,000.00 USD: 48,600.12 spent, 11,399.88 left, now 120.00 an hour" in text
    assert "at this rate, it is spent on Sep 25 at " in text
    metrics = as_prometheus(status.document())
    assert "hpc_elastic_budget_dollars 60000\n" in metrics
    assert "hpc_elastic_budget_spent_dollars 48600.12\n" in metrics
    assert "hpc_elastic_budget_stopped 0\n" in metrics


def test_a_spent_budget_says_that_nothing_is_launched_even_if_the_cloud_is_away():
    status = Status(CONFIG, lambda: NOW)
    status.put(replace(REPORT, budget=replace(LOOK, spent=60_001 * NANO, stopped=True, forecast=90_000 * NANO)), 0.1)
    status.put(CycleReport(time=NOW, pause=5.0, problem="can't list the machines in the cloud: x"), 0.1)
    text = as_text(status.document())
    assert "nothing is launched: the cluster's budget of 60,000 USD for September is spent" in text
    assert "if the month goes on as it has so far, it will cost 90,000.00 USD" in text
    assert "hpc_elastic_budget_stopped 1\n" in as_prometheus(status.document())


def test_without_a_budget_nothing_is_said_of_money():
    status = Status(CONFIG, lambda: NOW)
    status.put(REPORT, 0.1)
    assert "budget" not in as_text(status.document())
    assert "hpc_elastic_budget" not in as_prometheus(status.document())


DECEMBER = 1796083200.0
COSTS = Costs(
    month=DECEMBER, queues={"compute-queue": 1_234_567_890_123, "spot": 5}, services=300_000_000_000,
    rate=7_210_000_000, unpriced=("spot: m7i.48xlarge in use2-az1, spot",),
)  # fmt: skip


def test_costs_are_in_the_document_the_text_and_the_metrics(status):
    status.put(replace(REPORT, costs=COSTS), 0.4)
    document = status.document()
    assert document["costs"]["total"] == "1534.567890128"
    text = as_text(document)
    assert "costs since the beginning of December (UTC): 1,534.57 USD; now 7.21 USD per hour" in text
    assert "  not counted, because the price is unknown: spot: m7i.48xlarge in use2-az1, spot" in text
    metrics = as_prometheus(document)
    assert 'hpc_elastic_dollars_total{queue="compute-queue"} 1234.567890123' in metrics
    assert "hpc_elastic_services_dollars_total 300\n" in metrics


def test_shown_costs_add_up_to_the_shown_total(status):
    third = 10**9 // 3
    status.put(replace(REPORT, costs=replace(COSTS, queues={"a": third, "b": third + 1}, services=third)), 0.4)
    lines = as_text(status.document()).splitlines()
    assert [line.split(": ")[1] for line in lines if line.endswith(" USD")] == ["0.33 USD", "0.34 USD", "0.33 USD"]
    assert any("(UTC): 1.00 USD;" in line for line in lines)


def test_a_counter_never_falls_within_a_month(status):
    status.put(replace(REPORT, costs=COSTS), 0.4)
    status.put(replace(REPORT, costs=replace(COSTS, queues={"compute-queue": 7})), 0.4)
    assert 'hpc_elastic_dollars_total{queue="compute-queue"} 1234.567890123' in as_prometheus(status.document())
    assert status.document()["costs"]["queues"] == {"compute-queue": "0.000000007"}
    status.put(replace(REPORT, costs=replace(COSTS, month=DECEMBER + 31 * 86400, queues={"compute-queue": 7})), 0.4)
    assert status.document()["costs"]["counters"] == {"compute-queue": "0.000000007"}
