"""Users and groups in files that several stacks share."""

from pathlib import Path

import pytest

from hpc_components.spec.load import load_cluster
from hpc_components.spec.project import open_stack_file
from hpc_components.spec.source import UnreadableError
from hpc_components.spec.validate import judge

from .described import document

STACK = """\
config:
  hpc:cluster:
    cloud: aws
    people:
      files: [people.yaml]
      users:
        eve: {uid: 2003}
"""
SHARED = """\
groups:
  cfd: {gid: 3001}
users:
  ada: {uid: 2001, groups: [cfd]}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: x\nruntime: python\nstackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks/Pulumi.dev.yaml").write_text(STACK)
    (tmp_path / "people.yaml").write_text(SHARED)
    return tmp_path


def stack(project: Path, shared: str = SHARED):
    (project / "people.yaml").write_text(shared)
    return open_stack_file(project / "stacks/Pulumi.dev.yaml").cluster


def test_people_of_a_file_stand_beside_those_of_the_stack(project: Path) -> None:
    people = stack(project).data["people"]
    assert people == {
        "users": {"eve": {"uid": 2003}, "ada": {"uid": 2001, "groups": ["cfd"]}},
        "groups": {"cfd": {"gid": 3001}},
    }


def test_a_finding_names_the_file_and_the_line(project: Path) -> None:
    findings = judge(stack(project, SHARED.replace("2001", "1001"))).findings
    (wrong,) = [each for each in findings if each.id == "HPC-PPL-002"]
    assert (Path(wrong.file or "").name, wrong.line, wrong.path) == ("people.yaml", 4, "people.users.ada.uid")
    (own,) = [each for each in findings if each.id == "HPC-PPL-006" and each.path == "people.users.eve"]
    assert Path(own.file or "").name == "Pulumi.dev.yaml"


@pytest.mark.parametrize(
    ("shared", "message"),
    [
        ("users:\n  eve: {uid: 2009}\n", "people.yaml:2:3: users.eve is also described in "),
        ("usres: {}\n", "people.yaml:1:1: 'usres' is not a key of a file of people; did you mean users?"),
        ("users: [ada]\n", "people.yaml:1:8: users must be a mapping, keyed by name"),
        ("- ada\n", "people.yaml:1:1: this is not a list of people; write users: and groups:"),
        ("", "people.yaml:1:1: the file is empty; write users: and groups:"),
        ("users: {\n", "people.yaml:2:1: this is not valid YAML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(project: Path, shared: str, message: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        stack(project, shared)
    assert message in str(caught.value)


def test_a_missing_file_is_named(project: Path) -> None:
    (project / "people.yaml").unlink()
    with pytest.raises(UnreadableError, match=r"can't read .*people.yaml: No such file.*Pulumi\.yaml"):
        open_stack_file(project / "stacks/Pulumi.dev.yaml").cluster  # noqa: B018


def test_a_program_reads_the_file_from_its_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "stacks")
    cluster = load_cluster(document("people: {files: [people.yaml]}").data)
    assert cluster.people
    assert cluster.people.users["ada"].uid == 2001
    assert cluster.people.files == ()


def test_a_malformed_list_of_files_is_a_finding(project: Path) -> None:
    (project / "stacks/Pulumi.dev.yaml").write_text(STACK.replace("[people.yaml]", "people.yaml"))
    found = judge(open_stack_file(project / "stacks/Pulumi.dev.yaml").cluster).errors
    assert ("HPC-FRM-003", "people.files") in {(each.id, each.path) for each in found}
