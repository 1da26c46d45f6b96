"""`hpc convert`: what it writes where, how it ends, and what it refuses."""

import json
import shutil
from pathlib import Path

import pytest
from clouds.aws.convert.converting import FILES, SMALL

from hpc_components.cloud import CLOUDS
from hpc_components.convert import formats
from tests.cli.running import error, hpc

PUBLISHED = "published.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(FILES / PUBLISHED, tmp_path)
    (tmp_path / "small.yaml").write_text(SMALL)
    return tmp_path


def test_the_stack_file_goes_to_a_file_and_the_report_to_standard_output(folder: Path) -> None:
    done = hpc("convert", PUBLISHED, "--out", "Pulumi.cfd.yaml", cwd=folder)
    assert done.returncode == 1, done.stderr
    assert done.stderr == "wrote Pulumi.cfd.yaml\n"
    assert "published.yaml:1:1: corrected Region: us-east-1\n" in done.stdout
    assert "published.yaml:5:3: taken HeadNode.InstanceType -> head_node.machine: c6i.xlarge\n" in done.stdout
    assert "published.yaml: 2 to decide, 7 corrected, 2 dropped, 15 taken over\n" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("0 errors, ")
    validated = hpc("validate", "Pulumi.cfd.yaml", cwd=folder)
    assert validated.returncode == 0, validated.stdout


def test_without_a_file_the_stack_is_on_standard_output_alone(folder: Path) -> None:
    done = hpc("convert", "small.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "\n    name: small\n" in done.stdout
    assert "small.yaml: 0 to decide" in done.stderr
    assert hpc("validate", "-", cwd=folder, stdin=done.stdout).returncode == 0


def test_json_is_one_document(folder: Path) -> None:
    document = json.loads(hpc("convert", PUBLISHED, "--format", "json", cwd=folder).stdout)
    assert document["convert"] == 1
    assert document["stack_file"].startswith(
        "# Converted from published.yaml, a configuration file for AWS ParallelCluster 3."
    )
    first = min(document["notes"], key=lambda note: note["line"])
    assert (first["key"], first["outcome"], first["line"]) == ("Region", "corrected", 1)
    assert document["judgement"]["clusters"][0]["cluster"] == "published"


def test_errors_of_the_rules_end_it_with_one(folder: Path) -> None:
    (folder / "small.yaml").write_text(SMALL.replace("c7i.large", "c7i.larg"))
    done = hpc("convert", "small.yaml", "--out", "Pulumi.a.yaml", cwd=folder)
    assert done.returncode == 1
    assert "0 to decide" in done.stdout
    assert "error HPC-MCH-004 queues[0].machine" in done.stdout


def test_it_is_judged_together_with_the_other_stacks_of_its_project(folder: Path) -> None:
    (folder / "Pulumi.yaml").write_text("name: p\nruntime: python\n")
    hpc("convert", "small.yaml", "--out", "Pulumi.a.yaml", cwd=folder)
    text = (folder / "Pulumi.a.yaml").read_text()
    (folder / "Pulumi.b.yaml").write_text(text)
    done = hpc("convert", "small.yaml", "--out", "Pulumi.a.yaml", cwd=folder)
    assert "Pulumi.b.yaml" in done.stdout, "the other one has the same name and range"


def test_standard_input_is_a_file_without_a_name(folder: Path) -> None:
    done = hpc("convert", "-", cwd=folder, stdin=SMALL)
    assert done.returncode == 0
    assert "\n    name: cluster\n" in done.stdout


BATCH = SMALL.replace("Scheduler: slurm", "Scheduler: awsbatch").replace("SlurmQueues", "AwsBatchQueues")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: ]", "bad.yaml:1:4: this is not valid YAML"),
        ("", "bad.yaml:1:1: the file is empty; specify a configuration file for AWS ParallelCluster 3"),
        ("- a\n", "bad.yaml:1:1: this is not a configuration file for AWS ParallelCluster 3"),
        ("Build:\n  InstanceType: c5.large\n", "bad.yaml:1:1: this is not a configuration "
"file for AWS ParallelCluster 3"),
        (
            "# old\n[aws]\naws_region_name = us-east-1\n\n[cluster default]\nkey_name = lab\n",
            "bad.yaml:2:1: this is a ParallelCluster 2 configuration; convert it with AWS's tool first: "
"pcluster3-config-converter --config-file bad.yaml",
        ),
        (BATCH, "bad.yaml:7:3: AWS Batch is not supported; use Slurm, and specify"),
        (SMALL.replace("slurm\n", "sge\n"), "bad.yaml:7:3: sge is not a ParallelCluster 3 scheduler; use slurm"),
        (SMALL.replace("SlurmQueues", "Queues"), "bad.yaml:6:1: Scheduling.SlurmQueues is missing or empty;"),
        (SMALL.replace("HeadNode:", "Headnode:"), "bad.yaml:1:1: required section HeadNode is missing;"),
        ("HeadNode: {}\nScheduling: slurm\n", "bad.yaml:2:1: section Scheduling must be a "
"mapping; nest its keys under it"),
        ("HeadNode: {}\nScheduling:\n", "bad.yaml:2:1: section Scheduling must be a mapping; nest its keys under it"),
        ("config:\n  hpc:cluster: {cloud: aws}\n", "bad.yaml:1:1: this is already a stack file; to check it, run"),
        (SMALL + "Tags: !Ref Tags\n", "bad.yaml:13:7: the tag !Ref doesn't match the value 'Tags'; remove the tag"),
    ],
)  # fmt: skip
def test_what_can_not_be_converted_is_one_sentence_with_its_place(folder: Path, text: str, told: str) -> None:
    (folder / "bad.yaml").write_text(text)
    assert error("convert", "bad.yaml", cwd=folder).startswith(told)


def test_json_reports_what_can_not_be_read(folder: Path) -> None:
    (folder / "bad.yaml").write_text("a: ]")
    done = hpc("convert", "bad.yaml", "--format", "json", cwd=folder)
    assert done.returncode == 2
    assert json.loads(done.stdout)["unreadable"][0]["line"] == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("missing.yaml",), "can't read missing.yaml: No such file or directory; specify a configuration to convert"),
        (("small.yaml", "--out", "no/Pulumi.a.yaml"), "can't write no/Pulumi.a.yaml: the folder no"),
    ],
)
def test_files_that_are_not_there_are_an_error(folder: Path, arguments: tuple[str, ...], told: str) -> None:
    assert error("convert", *arguments, cwd=folder).startswith(told)


def test_a_cloud_without_the_part_has_nothing_to_convert_from(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [each.title for each in formats.formats()] == ["AWS ParallelCluster 3"]
    others = {name: package for name, package in CLOUDS.items() if name != "aws"}
    monkeypatch.setattr(formats, "CLOUDS", others)
    assert list(formats.formats()) == []


def test_a_part_that_fails_to_import_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(parts: object) -> None:
        raise ModuleNotFoundError("no yaml", name="yaml")

    monkeypatch.setattr("hpc_components.aws.cloud.AwsParts.convert", property(fails))
    with pytest.raises(ModuleNotFoundError):
        list(formats.formats())
