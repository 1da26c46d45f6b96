"""The file from which bills are made elsewhere."""

import io
import json
import tarfile
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from elastic.ledger.test_spending import ended, started
from hpc_components.elastic.config import Config, QueueConfig
from hpc_components.elastic.drivers import limits_of
from hpc_components.elastic.ledger.export import Period, export
from hpc_components.elastic.ledger.file import LedgerFiles
from hpc_components.elastic.ledger.records import Gap, record_of
from hpc_components.elastic.model import Pool

CONFIG = Config(
    cluster="cfd", cloud="aws", region="us-east-2",
    queues=(QueueConfig(name="q", max=9, pools=(Pool(queue="q", machine="m", zone="z", purchase="spot"),)),),
)  # fmt: skip
NODES = (
    "NodeName=q-1 CPUTot=8 CPUEfctv=6 Gres=gpu:h100:4(S:0-1),gpu:a:2,shard:8 RealMemory=1000 Partitions=q,all x=1\n"
    "NodeName=r-1 CPUTot=4 Gres=(null) RealMemory=500 Partitions=r y=1\n"
)
FORGED = "9|9|bob|own|q|normal|COMPLETED|1|2|3|1|1|cpu=1|q-1|x"
"""The second line of a job's name."""
TOLD = {
    "scontrol show config": "AccountingStorageType   = accounting_storage/slurmdbd\nClusterName             = cfd\n",
    "scontrol --version": "slurm-wlm 24.11.5\n",
    "sacctmgr list account": "root|default\nlab|organization acme\nold|former organization birch\nown|\n",
    "sacctmgr list assoc": "root|\nlab|root\nold|lab\nown|root\n",
    "scontrol show nodes": NODES,
    "sacct": f"1;1;ada;lab;q;normal;COMPLETED;1;2;3;1;1;cpu=1;q-1;a|b\n{FORGED}\n",
}


def at(day):
    return datetime.fromisoformat(f"{day}T00:00:00+00:00").astimezone(UTC).timestamp()


@pytest.fixture
def asked():
    return []


@pytest.fixture
def exported(tmp_path, asked):
    def run(command):
        asked.append(" ".join(command))
        words = " ".join(each for each in command if not each.startswith("-") or each == "--version")
        told = TOLD[max((key for key in TOLD if words.startswith(key)), key=len)]
        (separator,) = [each for each in command if each.startswith("--delimiter=")] or [""]
        return told.replace(";", separator.removeprefix("--delimiter=")) if separator else told

    def make(since, until):
        out = io.BytesIO()
        period = Period(since=at(since), until=at(until))
        export(out, CONFIG, limits_of("aws"), LedgerFiles(tmp_path), run, period, at(until))
        out.seek(0)
        with tarfile.open(fileobj=out) as archive:
            return {each.name: archive.extractfile(each).read().decode() for each in archive}

    return make


def test_it_says_what_it_is_about(exported):
    about = json.loads(exported("2026-11-01", "2026-11-28")["about.json"])
    assert about == {
        "version": 1, "cluster": "cfd", "cloud": "aws", "region": "us-east-2", "exported": at("2026-11-28"),
        "since": at("2026-11-01"), "until": at("2026-11-28"), "slurm": "24.11.5", "currency": "USD",
        "minimum_seconds": 60,
        "accounts": [["root", None, None], ["lab", "root", "acme"], ["old", "lab", "birch"], ["own", "root", None]],
        "nodes": {
            "q": {"cpus": 6, "memory_mib": 1000, "gpus": 6}, "all": {"cpus": 6, "memory_mib": 1000, "gpus": 6},
            "r": {"cpus": 4, "memory_mib": 500, "gpus": 0},
        },
    }  # fmt: skip


def test_jobs_have_a_head_line_and_are_asked_for_in_utc(exported, asked):
    jobs = exported("2026-11-01", "2026-11-28")["jobs.psv"].splitlines()
    assert jobs[0].startswith("JobIDRaw|JobID|User|Account|")
    assert jobs[1:] == [f"1|1|ada|lab|q|normal|COMPLETED|1|2|3|1|1|cpu=1|q-1|a|b {FORGED}"]
    (command,) = (each for each in asked if each.startswith("sacct -a"))
    assert "-S 2026-11-01T00:00:00 -E 2026-11-28T00:00:00" in command


def test_records_of_the_months_and_shortly_after_are_included(exported, tmp_path):
    files = LedgerFiles(tmp_path)
    for day in ("2026-09-30", "2026-10-05", "2026-11-02", "2026-12-01", "2026-12-04"):
        files.append([started(day, at(day))], at(day), [])
    with (tmp_path / "2026-11-02.jsonl").open("a") as torn:
        torn.write('{"kind":"mach')

    def ids(since, until):
        lines = exported(since, until)["ledger.jsonl"].splitlines()
        return [json.loads(line)["id"] for line in lines]

    assert ids("2026-11-01", "2026-11-30") == ["2026-11-02", "2026-12-01"]
    assert ids("2026-10-15", "2026-11-01") == ["2026-10-05", "2026-11-02"]
    assert ids("2026-08-01", "2026-08-02") == []
    assert ids("2027-01-05", "2027-01-06") == ["2026-12-01", "2026-12-04"], (
        "the state is in the last month with files"
    )


def test_what_was_found_out_later_about_a_gap_is_included(exported, tmp_path):
    files = LedgerFiles(tmp_path)
    files.append([started("i-1", at("2026-11-02"))], at("2026-11-02"))
    gap = Gap(since=at("2026-11-03"), until=at("2026-12-09"), why="hpc-elastic did not run")
    rebuilt = [
        replace(started("rebuilt-q-1", at("2026-11-05")), started_by="rebuilt"),
        replace(ended("rebuilt-q-1", at("2026-11-06")), ended_by="rebuilt"),
    ]
    later = started("i-2", at("2026-12-09"))
    files.append([later, ended("i-2", at("2026-12-09")), gap, *rebuilt], at("2026-12-09"))
    lines = exported("2026-11-01", "2026-12-01")["ledger.jsonl"].splitlines()
    assert list(map(record_of, lines)) == [started("i-1", at("2026-11-02")), gap, *rebuilt]


def test_without_accounting_there_are_no_jobs(exported, monkeypatch):
    monkeypatch.setitem(TOLD, "scontrol show config", "AccountingStorageType   = accounting_storage/none\n")
    files = exported("2026-11-01", "2026-11-28")
    assert len(files["jobs.psv"].splitlines()) == 1
    assert json.loads(files["about.json"])["accounts"] == []


def test_a_month_begins_with_its_state(tmp_path):
    files = LedgerFiles(tmp_path)
    files.append([started("i-1", at("2026-10-05"))], at("2026-10-05"), [started("i-0", at("2026-10-05"))])
    files.append([ended("i-1", at("2026-10-06"))], at("2026-10-06"), [started("i-0", at("2026-10-05"))])
    assert [(tmp_path / f"2026-10-0{n}.jsonl").read_text().count("\n") for n in (5, 6)] == [2, 1]
