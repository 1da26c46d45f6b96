"""`hpc forecast`."""

import json
from pathlib import Path

import pytest

from tests.cli.running import error, hpc
from tests.html_page import Page

TRACE = str(Path(__file__).parents[1] / "forecast/hpc2n.swf")

HEADER = "JobID|Account|Partition|Submit|Start|ElapsedRaw|Timelimit|NNodes|NCPUS|State"


def test_stacks_are_compared_by_the_same_jobs() -> None:
    done = hpc("forecast", "aws-cfd", "azure-hbv4", "--jobs", TRACE)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "150 jobs from 2002-08-01" in done.stdout
    assert "Queues of azure-hbv4" in done.stdout
    assert "150 jobs of other queues ran in queue compute-queue (no queue)" in done.stdout
    document = json.loads(hpc("forecast", "aws-cfd", "azure-hbv4", "--jobs", TRACE, "--format", "json").stdout)
    assert [stack["finished"] for stack in document["stacks"]] == [150, 150]
    for stack in document["stacks"]:
        assert f"{stack['cost']:,.2f}" in done.stdout


def test_a_page_has_a_plot_of_each_kind_and_loads_nothing(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = hpc("forecast", "aws-cfd", "azure-hbv4", "--jobs", TRACE, "--format", "html", "--out", str(out))
    assert (done.returncode, done.stdout) == (0, "")
    page = Page(out.read_text())
    assert len([svg for svg in page.of("svg") if svg.get("class") == "plot"]) == 3
    assert not page.of("script")
    assert not [tag for tag, values in page.tags if any((values.get(key) or "").startswith("http") for key in values)]
    lines = [line for line in page.of("polyline") if line.get("points")]
    assert len(lines) == 4, "nodes and costs, for each stack"


def test_jobs_of_a_queue_can_run_in_another(tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.txt"
    jobs.write_text(f"{HEADER}\n1|a|old|2026-11-01T00:00:00|2026-11-01T00:00:00|60|10|1|2|COMPLETED\n")
    said = hpc("forecast", "aws-cfd", "--jobs", str(jobs), "--queue", "old=spot", "--format", "json").stdout
    (stack,) = json.loads(said)["stacks"]
    assert {queue["queue"]: queue["jobs"] for queue in stack["queues"]} == {"compute-queue": 0, "spot": 1}


def test_losses_and_errors_depend_on_the_seed_alone() -> None:
    often = ("forecast", "aws-cfd", "--jobs", TRACE, "--spot-losses", "20%", "--capacity-errors", "10%")
    one, again = (hpc(*often, "--seed", "5", "--format", "json").stdout for _ in range(2))
    assert one == again
    assert json.loads(one)["assumed"] == {
        "boot_seconds": 180, "capacity_errors": 0.1, "spot_losses": 0.2, "seed": 5,
    }  # fmt: skip
    assert "seed 5" in hpc(*often, "--seed", "5").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--queue", "old"), "'old' does not have the form OLD=NEW"),
        (("--queue", "old=gpu"), "--queue: aws-cfd has no queue 'gpu'; its queues are compute-queue, spot"),
        (("--spot-losses", "much"), "'much' is not a share from 0% to less than 100%"),
        (("--capacity-errors", "nan"), "'nan' is not a share from 0% to less than 100%"),
        (("--boot-seconds", "1300"), "so no node would ever start; raise slurm.boot_time"),
    ],
)
def test_wrong_options_are_refused(arguments: tuple[str, ...], words: str) -> None:
    done = hpc("forecast", "aws-cfd", "--jobs", TRACE, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty; docs/forecast.md says how to export jobs"),
        ("JobID|State\n", "the first line names no column Submit, Start, ElapsedRaw"),
        (f"{HEADER}\n", "has no jobs that ran"),
    ],
)
def test_a_file_without_usable_jobs_is_refused(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "jobs.txt"
    file.write_text(text)
    assert words in error("forecast", "aws-cfd", "--jobs", str(file))


def test_a_missing_file_is_refused() -> None:
    said = error("forecast", "aws-cfd", "--jobs", "nowhere.txt")
    assert "can't read nowhere.txt: No such file or directory" in said
