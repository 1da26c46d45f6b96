from pathlib import Path

import pytest

from hpc_components.slurm import RELEASES, slurm_files
from hpc_components.spec.load import load_cluster
from hpc_components.spec.project import find_project
from tests.cli.running import ROOT, error, hpc
from tests.cli.test_bad_input import CLUSTER as CLUSTER_FILE

CLUSTER = load_cluster(find_project(ROOT).open("aws-university").cluster.data)


def test_one_file_is_printed_as_it_is() -> None:
    done = hpc("render", "aws-university", "slurm.conf")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == slurm_files(CLUSTER)["slurm.conf"]


def test_all_files_are_told_apart() -> None:
    parts = hpc("render", "aws-university").stdout.split("==> ")[1:]
    printed = dict(part.split(" <==\n", 1) for part in parts)
    assert {name: text.rstrip() for name, text in printed.items()} == {
        name: text.rstrip() for name, text in slurm_files(CLUSTER).items()
    }


@pytest.mark.parametrize("release", RELEASES)
def test_files_are_rendered_for_any_release(release: str) -> None:
    assert hpc("render", "aws-cfd", "slurm.conf", "--slurm", release).stdout.startswith(f"# Slurm {release}")


@pytest.mark.parametrize(
    ("own", "queue", "place"),
    [
        ("settings: {MaxBatchRequeue: 3}", "", "11:42: error HPC-SLM-003 slurm.settings.MaxBatchRequeue"),
        ("", ", slurm: {MaxCPUsPerSocket: 8}", "10:57: error HPC-SLM-003 queues[0].slurm.MaxCPUsPerSocket"),
    ],
)
def test_a_key_unknown_to_the_release_asked_for_is_refused(tmp_path: Path, own: str, queue: str, place: str) -> None:
    described = CLUSTER_FILE.replace("max: 1}", f"max: 1{queue}}}")
    described += f'    slurm: {{version: "24.11", {own}}}\n    os: debian-13\n'
    (tmp_path / "cfd.yaml").write_text(described)
    here = str(tmp_path / "cfd.yaml")
    assert hpc("render", here, "slurm.conf", "--slurm", "25.11").returncode == 0  # Debian has none of its packages
    done = hpc("render", here, "slurm.conf", "--slurm", "22.05", "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{place}\n" in done.stderr
    assert "does not exist in Slurm 22.05, only in 23.11, 24.11, 25.11" in done.stderr
    assert "1 error, 0 warnings in 1 cluster\n" in done.stderr
    assert done.stderr.endswith(
        "no files: the description is for Slurm 24.11 and has settings that Slurm 22.05 doesn't support\n"
    )
    assert not (tmp_path / "out").exists()


def test_all_files_are_written_to_a_folder(tmp_path: Path) -> None:
    done = hpc("render", "aws-university", "--out", str(tmp_path / "new"))
    assert done.stdout == ""
    assert {path.name: path.read_text() for path in (tmp_path / "new").iterdir()} == slurm_files(CLUSTER)


def test_a_stack_file_can_be_named_by_path() -> None:
    done = hpc("render", "stacks/config/Pulumi.aws-university.yaml", "slurm.conf")
    assert done.stdout == slurm_files(CLUSTER)["slurm.conf"]


def test_an_unknown_file_is_corrected() -> None:
    assert error("render", "aws-cfd", "slrum.conf").endswith("has no file slrum.conf; did you mean slurm.conf?")
    assert "there are cgroup.conf, elastic.json, hpc-job-prolog, prices.json, slurm.conf" in error(
        "render", "aws-cfd", "x"
    )


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "can't write" in error("render", "aws-cfd", "--out", str(tmp_path / "file" / "below"))


def test_only_the_last_folder_is_made(tmp_path: Path) -> None:
    told = error("render", "aws-cfd", "--out", str(tmp_path / "one" / "two"))
    assert told.endswith(f": the folder {tmp_path}/one does not exist; create it with: mkdir -p {tmp_path}/one")
    assert list(tmp_path.iterdir()) == []


def test_a_stack_can_come_from_standard_input(tmp_path: Path) -> None:
    text = (ROOT / "stacks/config/Pulumi.aws-university.yaml").read_text()
    people = "stacks/university-people.yaml"  # relative to the folder, which has no project
    (tmp_path / people).parent.mkdir()
    (tmp_path / people).write_text((ROOT / people).read_text())
    done = hpc("render", "-", "slurm.conf", cwd=tmp_path, stdin=text)
    assert done.stdout == slurm_files(CLUSTER)["slurm.conf"]


def test_a_stack_with_errors_renders_nothing() -> None:
    done = hpc("render", "tests/corpus/HPC-GPU-001-nothing-to-share.yaml")
    assert (done.returncode, done.stdout) == (1, "")
    assert "HPC-GPU-001" in done.stderr
    assert done.stderr.endswith("no files: fix the errors first\n")
