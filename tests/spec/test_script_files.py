"""Scripts of a description that are files of the repository."""

import json
from pathlib import Path

import pytest

from hpc_components.preview.stack import plan_stack
from hpc_components.spec.load import load_cluster
from hpc_components.spec.project import find_project, open_stack_file
from hpc_components.spec.scripts import Script
from hpc_components.spec.source import UnreadableError

from .described import document

STACK = """\
config:
  hpc:cluster:
    cloud: aws
    name: cfd
    region: us-east-2
    zone: use2-az2
    network: {cidr: 10.20.0.0/16}
    head_node: {machine: c6i.xlarge}
    queues: [{name: cpu, machine: c7i.large, max: 1}]
    scripts:
      mount: {at: boot, file: nodes/mount.sh, on: [cpu]}
"""
TEXT = "#!/bin/sh\nmount /scratch\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: x\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text(STACK)
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes/mount.sh").write_text(TEXT)
    monkeypatch.chdir(tmp_path / "nodes")
    return tmp_path


def test_a_script_has_the_text_of_its_file(project: Path) -> None:
    scripts = open_stack_file(project / "Pulumi.dev.yaml").cluster.data["scripts"]
    assert scripts == {"mount": {"at": "boot", "text": TEXT, "on": ["cpu"]}}


def test_the_program_reads_files_of_the_project_wherever_it_runs(project: Path) -> None:
    """Without a program of its own, a project runs one that is elsewhere."""
    plan = plan_stack(find_project(), "dev").plan
    assert plan is not None
    assert json.dumps(TEXT) in plan.to_json()


def test_a_cluster_of_a_program_can_name_files(project: Path) -> None:
    script = Script(at="boot", file="nodes/mount.sh")
    data = document().data | {"scripts": {"mount": script.model_dump(exclude_unset=True)}}
    assert load_cluster(data).scripts["mount"].text == TEXT


def test_a_file_that_is_not_there_is_named(project: Path) -> None:
    (project / "nodes/mount.sh").unlink()
    with pytest.raises(UnreadableError, match=r"mount\.sh: No such file.*; specify files of scripts relative to"):
        _ = open_stack_file(project / "Pulumi.dev.yaml").cluster


@pytest.mark.parametrize("more", [{"text": TEXT}, {"address": "https://example.org/mount.sh"}])
def test_a_file_beside_another_source_is_left_to_the_rules(project: Path, more: dict[str, str]) -> None:
    data = document().data | {"scripts": {"mount": {"at": "boot", "file": "nothing.sh", **more}}}
    with pytest.raises(ValueError, match=r"HPC-SCR-002 scripts\.mount: file and "):
        load_cluster(data)
