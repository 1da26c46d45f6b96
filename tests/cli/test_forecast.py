"""`hpc forecast`."""

import json
import tarfile
from pathlib import Path

import pytest

from hpc_components.elastic.ledger.export import EXPORTED_JOB_FIELDS
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
        "boot_seconds": 180, "capacity_errors": 0.1, "spot_losses": 0.2, "seed": 5, "measured_boots": {},
    }  # fmt: skip
    assert "seed 5" in hpc(*often, "--seed", "5").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--queue", "old"), "'old' does not have the form OLD=NEW"),
        (("--queue", "old=gpu"), "--queue: aws-cfd has no queue 'gpu'; its queues are compute-queue, spot"),
        (("--spot-losses", "much"), "'much' is not a share from 0% to less than 100%"),
        (("--capacity-errors", "nan"), "'nan' is not a share from 0% to less than 100%"),
        (("--warm", "spot=2"), "'spot=2' is not nodes and hours of a day; write e.g. cpu=2@08:00-18:00"),
        (("--warm", "gpu=2@08:00-18:00"), "--warm: aws-cfd has no queue 'gpu'; its queues are compute-queue, spot"),
        (("--warm", "spot=9@08:00-18:00"), "--warm spot=9@08:00-18:00: queue spot of aws-cfd has at most 8 nodes"),
        (("--boots", TRACE), "hpc2n.swf is not an export of `hpc-elastic ledger export`; omit --boots"),
        (("--boot-seconds", "1300"), "so no node would ever start; raise slurm.boot_time"),
    ],
)
def test_wrong_options_are_refused(arguments: tuple[str, ...], words: str) -> None:
    done = hpc("forecast", "aws-cfd", "--jobs", TRACE, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_warm_nodes_stand_beside_the_plain_stack() -> None:
    done = hpc("forecast", "aws-cfd", "--jobs", TRACE, "--warm", "compute-queue=4@06:00-20:00", "--format", "json")
    plain, warm = json.loads(done.stdout)["stacks"]
    assert (plain["stack"], warm["stack"]) == ("aws-cfd", "aws-cfd, warm")
    assert (plain["warm"], warm["warm"]) == ([], ["compute-queue=4@06:00-20:00"])
    assert warm["cost"] > plain["cost"]
    assert warm["waits"]["mean"] < plain["waits"]["mean"]
    assert warm["queues"][1] == plain["queues"][1] | {"cost": warm["queues"][1]["cost"]}
    said = hpc("forecast", "aws-cfd", "--jobs", TRACE, "--warm", "compute-queue=4@06:00-20:00").stdout
    assert "nodes kept running, on the file's clock: compute-queue=4@06:00-20:00" in " ".join(said.split())


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """An export in which two machines of the queue took 60 and 61 s to boot, and one has not booted."""
    lines = []
    for number, boot in enumerate((60, 61, None)):
        its = {"id": f"i-{number}", "node": f"n-{number}", "queue": "compute-queue", "zone": "z"}
        more = {"machine": "hpc6a.48xlarge", "purchase": "on-demand", "started": 1793599400, "started_by": "cloud"}
        lines.append({"kind": "machine", **its, **more})
        if boot:
            lines.append({"kind": "registered", "id": f"i-{number}", "at": 1793599400 + boot})
    jobs = ["1", "1", "ada", "acme", "compute-queue", "normal", "COMPLETED", "1793599500", "1793599500", "1793599560"]
    jobs += ["60", "96", "cpu=96,node=1", "n-1", "1793599500", "10", "cpu=96,node=1", "a|b"]
    row, lost = "|".join(jobs), "|".join(jobs).replace("COMPLETED", "NODE_FAIL")
    content = {
        "about.json": "{}",
        "jobs.psv": "|".join(EXPORTED_JOB_FIELDS) + f"\n{lost}\n{row}\n",
        "ledger.jsonl": "".join(json.dumps(line) + "\n" for line in lines),
    }
    file = tmp_path / "export.tar.gz"
    with tarfile.open(file, "w:gz") as tar:
        for name, text in content.items():
            (tmp_path / name).write_text(text)
            tar.add(tmp_path / name, f"cluster/{name}")
    return file


def test_an_export_of_the_ledger_has_jobs_and_boot_times(export: Path) -> None:
    document = json.loads(hpc("forecast", "aws-cfd", "--jobs", str(export), "--format", "json").stdout)
    assert document["jobs"]["submitted"] == 1
    assert document["jobs"]["left_out"] == [
        {"reason": "the run was cut short, and the job usually started again", "jobs": 1}
    ]
    assert document["assumed"]["measured_boots"] == {"hpc6a.48xlarge": 60}
    assert document["stacks"][0]["waits"]["max"] == 61
    assert "measured median (hpc6a.48xlarge 60 s; other machines 3 min)" in " ".join(
        hpc("forecast", "aws-cfd", "--jobs", str(export)).stdout.split()
    )


def test_boot_times_of_another_file_can_be_used_or_given(export: Path) -> None:
    said = hpc("forecast", "aws-cfd", "--jobs", TRACE, "--boots", str(export), "--format", "json").stdout
    assert json.loads(said)["assumed"]["measured_boots"] == {"hpc6a.48xlarge": 60}
    said = hpc("forecast", "aws-cfd", "--jobs", str(export), "--boot-seconds", "30", "--format", "json").stdout
    assert json.loads(said)["stacks"][0]["waits"]["max"] == 31


def test_an_export_without_a_ledger_is_refused(export: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.tar.gz"
    with tarfile.open(other, "w:gz") as tar:
        tar.add(tmp_path / "jobs.psv", "jobs.psv")
    said = error("forecast", "aws-cfd", "--jobs", str(other))
    assert "other.tar.gz: it has no ledger.jsonl, so it is not an export" in said
    export.write_bytes(export.read_bytes()[:-200])
    assert "can't read" in error("forecast", "aws-cfd", "--jobs", str(export))


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
