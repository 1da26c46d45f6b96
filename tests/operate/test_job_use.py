"""What `hpc job` says of a job: from lines of sacct, and answers of Prometheus."""

import json
from pathlib import Path
from typing import Any

import pytest

from hpc_components.operate.job_record import JobRecord, parse_bytes, parse_seconds, read_job
from hpc_components.operate.job_show import job_page, job_text
from hpc_components.operate.job_use import job_document, job_queries
from hpc_components.operate.sections import Section
from hpc_components.report.text import plain_text

SACCT = "".join(
    "|".join(row) + "\n"
    for row in (
        ("42", "COMPLETED", "ada", "aero", "gpu", "1790000000", "1790003600", "3600", "96", "04:00:00", "128G", "",
         "billing=96,cpu=96,gres/gpu=4,mem=262144M,node=2", "gpu-[1-2]", "wing | tail"),
        ("42.batch", "COMPLETED", "", "aero", "", "1790000000", "1790003600", "3600", "48", "02:00:00", "",
         "8388608K", "cpu=48,mem=131072M,node=1", "gpu-1", "batch"),
        ("42.0", "COMPLETED", "", "aero", "", "1790000010", "1790003600", "3590", "96", "02:00:00", "", "4194304K",
         "cpu=96,mem=262144M,node=2", "gpu-[1-2]", "solve"),
    )
)  # fmt: skip


def record(text: str = SACCT) -> JobRecord:
    found = read_job(text)
    assert found
    return found


def answer(*values: tuple[dict[str, str], float]) -> Section:
    result = [{"metric": labels, "value": [1790003600, str(value)]} for labels, value in values]
    return Section(json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}), 0)


def by_node(first: float, second: float) -> Section:
    return answer(({"instance": "gpu-1"}, first), ({"instance": "gpu-2"}, second))


METRICS = {
    "cpus": by_node(3.0, 1.1),
    "all_cpus": by_node(48, 48),
    "memory": by_node(20 * 2**30, 9 * 2**30),
    "gpus": answer(
        *(({"instance": node, "gpu": gpu}, busy) for node, busy in (("gpu-1", 0.9), ("gpu-2", 0)) for gpu in "01")
    ),
    "network": by_node(1e6, 2e6),
    "fabric": by_node(5e9, 5e9),
}  # fmt: skip


def document(text: str = SACCT, **changes: Section) -> dict[str, Any]:
    return job_document("cfd", record(text), METRICS | changes)


def test_the_record_of_a_job_is_read() -> None:
    found = record()
    assert (found.id, found.name, found.user, found.queue) == ("42", "wing | tail", "ada", "gpu")
    assert (found.nodes, found.cpus, found.gpus) == (("gpu-1", "gpu-2"), 96, 4)
    assert found.memory_per_node == 128 * 2**30
    assert (found.cpu_seconds, found.largest_task) == (4 * 3600, 8 * 2**30)


@pytest.mark.parametrize("text", ["", "43|PENDING|ada|aero|gpu|Unknown|Unknown|0|96|00:00:00|1G|||None assigned|x\n"])
def test_a_job_that_has_not_started_has_no_record(text: str) -> None:
    assert read_job(text) is None


def test_what_lay_idle_is_said_in_plain_words() -> None:
    assert document()["findings"] == [
        "you asked for 96 CPUs and used 4",
        "you asked for 128.0 GiB of memory on each node, and the fullest node used 20.0 GiB",
        "you asked for 4 GPUs, and 2 did nothing: gpu-2:0, gpu-2:1",
    ]


def test_a_job_that_uses_what_it_has_is_left_alone() -> None:
    busy = SACCT.replace("|96|04:00:00|", "|96|3-22:00:00|")
    gpus = answer(*(({"instance": f"gpu-{node}", "gpu": str(gpu)}, 0.9) for node in (1, 2) for gpu in (0, 1)))
    assert document(busy, memory=by_node(120 * 2**30, 100 * 2**30), gpus=gpus)["findings"] == []


def test_nodes_shared_with_other_jobs_prove_nothing_about_this_one() -> None:
    shared = document(all_cpus=by_node(192, 192), memory=by_node(300 * 2**30, 2**30))
    assert not shared["used"]["whole_nodes"]
    assert "the largest task used 8.0 GiB" in " ".join(shared["findings"])


def test_a_running_job_is_judged_by_its_nodes() -> None:
    running = (
        SACCT.replace("|1790003600|", "|Unknown|").replace("04:00:00", "00:00:00").replace("COMPLETED", "RUNNING")
    )
    assert document(running)["findings"][0] == "you asked for 96 CPUs and used 4.1"


def test_a_job_too_short_for_metrics_asks_for_none() -> None:
    short = record(SACCT.replace("|3600|96|", "|100|96|"))
    assert job_queries(short, 0) == {}
    assert job_document("cfd", short, {})["unknown"][0].startswith("metrics: the job ran for less than 180 s")


def test_metrics_are_asked_of_the_jobs_nodes_and_time() -> None:
    command = job_queries(record(), 0)["memory"]
    assert "time=1790003600" in command
    assert 'instance=~"gpu-1|gpu-2"' in command[-2]
    assert "[3600s:60s]" in command[-2]


def test_a_prometheus_that_refuses_is_said() -> None:
    refused = dict.fromkeys(METRICS, Section("curl: (7) Failed to connect to 127.0.0.1 port 9090", 7))
    said = job_document("cfd", record(), refused)
    assert said["unknown"] == ["metrics: curl: (7) Failed to connect to 127.0.0.1 port 9090"]
    assert said["findings"] == [
        "you asked for 96 CPUs and used 4",
        "you asked for 128.0 GiB of memory on each node, and the largest task used 8.0 GiB",
    ]


def test_the_report_shows_what_was_asked_for_and_used() -> None:
    text = plain_text(job_text(document()), 100)
    assert text.startswith("job 42 (wing | tail) of ada: completed, 1 h 0 min on 2 nodes of gpu")
    for part in ("you asked for 96 CPUs and used 4", "gpu-2", "5,000.0 MB/s", "128.0 GiB"):
        assert part in text


def test_the_document_has_the_key_that_is_listed() -> None:
    assert document()["job_use"] == 1
    assert "| `job_use: 1` |" in (Path(__file__).parents[2] / "docs" / "public.md").read_text(encoding="utf-8")


def test_hostile_names_stay_text() -> None:
    hostile = document(SACCT.replace("wing | tail", "<script>\x1b[2J"))
    assert "\x1b" not in plain_text(job_text(hostile), 100)
    page = job_page(hostile)
    assert "<script>" not in page
    assert "you asked for 96 CPUs" in page.replace("You", "you")


@pytest.mark.parametrize(("text", "seconds"), [("1-02:03:04", 93784), ("03:04.567", 184.567), ("", 0)])
def test_a_time_is_read(text: str, seconds: float) -> None:
    assert parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize(("text", "count"), [("4096M", 2**32), ("123K", 123 * 1024), ("512", 512), ("", 0)])
def test_an_amount_is_read(text: str, count: int) -> None:
    assert parse_bytes(text) == count
